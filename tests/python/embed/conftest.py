"""Fixtures of the embedder tests."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def load_helper(name: str) -> ModuleType:
    """Import a helper module that stands beside this file; test folders are not packages."""
    full = f"memspan_embed_tests_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, Path(__file__).with_name(f"{name}.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[full] = module
        spec.loader.exec_module(module)
    return sys.modules[full]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A running `OpenAIServer`, reached without the environment's proxies or keys."""
    for name in ("OPENAI_API_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with load_helper("openai_server").OpenAIServer() as running:
        yield running


@pytest.fixture
def tiny() -> ModuleType:
    """The `tiny_model` module."""
    return load_helper("tiny_model")


@pytest.fixture
def late() -> ModuleType:
    """The `late_model_files` module."""
    return load_helper("late_model_files")


@pytest.fixture
def wheels() -> ModuleType:
    """The `fake_wheel` module."""
    return load_helper("fake_wheel")


@pytest.fixture
def models_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty model folder that replaces the user's."""
    folder = tmp_path / "models"
    monkeypatch.setenv("MEMSPAN_MODELS", str(folder))
    return folder


@pytest.fixture
def made_up(wheels: ModuleType, models_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The only known model: a made-up one of a few kilobytes."""
    spec = wheels.made_up_spec()
    monkeypatch.setattr("memspan.embed.registry.MODELS", {spec.name: spec})
    return spec
