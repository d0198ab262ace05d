"""Fixtures of the tests of the learned ranking."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from planted import PLANTED, make_examples

from memspan.fitting.examples import Example


@pytest.fixture
def examples() -> list[Example]:
    return make_examples(PLANTED)
