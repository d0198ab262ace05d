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
