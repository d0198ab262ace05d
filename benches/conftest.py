"""Fixtures of the benchmarks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import memspan

sys.path.insert(0, str(Path(__file__).parent))

from episodes import Episodes, make_episodes


@pytest.fixture(scope="session")
def episodes() -> Episodes:
    return make_episodes(10_000)


@pytest.fixture(scope="session")
def index(episodes: Episodes) -> memspan.Index:
    """A filled index that the benchmarks only read."""
    return episodes.filled()


@pytest.fixture(scope="session", params=[1_000, 10_000], ids=["1k", "10k"])
def sized(request: pytest.FixtureRequest) -> tuple[memspan.Index, Episodes]:
    """Small and large users, for what depends on how much there is."""
    episodes = make_episodes(request.param)
    return episodes.filled(), episodes
