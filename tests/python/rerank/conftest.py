from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import importlib.util
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    """The `tiny_model` module of the embedder tests."""
    path = Path(__file__).parents[1] / "embed" / "tiny_model.py"
    spec = importlib.util.spec_from_file_location("memspan_rerank_tests_tiny_model", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
