"""Fixtures of the index tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import memspan

sys.path.insert(0, str(Path(__file__).parent))

from index_helpers import small_index


@pytest.fixture
def index() -> memspan.Index:
    return small_index()
