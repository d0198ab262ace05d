from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Child processes import the writers by name.
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.memspan"
