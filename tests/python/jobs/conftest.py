from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import ScriptedModel, recipe_of

from memspan.memory import Memory
from memspan.remember.jobs.pace import Pace

Open = Callable[..., Memory]

QUICK = Pace(first_pause=0.001, growth=1.0, lease=5.0, poll=0.02)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.memspan"


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
def open_memory(path: Path, model: ScriptedModel) -> Iterator[Open]:
    """Open a memory with the tiny recipe, the scripted model and short pauses; closed at the end of the test."""
    opened: list[Memory] = []

    def open_one(pace: Pace = QUICK, **options: Any) -> Memory:
        memory = Memory(path, **{"embedder": "hash:32", "llm": model, "recipe": recipe_of(), **options})
        memory._processing.pace = pace
        opened.append(memory)
        return memory

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    return open_memory()
