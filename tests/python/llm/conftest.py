"""Fixtures of the language model tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def here() -> Path:
    """The folder of these tests, with templates and golden files."""
    return Path(__file__).parent
