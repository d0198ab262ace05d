from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_llm import ScriptedLLM, all_rules

from memspan.memory import Memory

Open = Callable[..., Memory]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.memspan"


@pytest.fixture
def open_memory(path: Path) -> Iterator[Open]:
    """Open a memory at `path`, or elsewhere, with a small hash embedder; closed at the end of the test."""
    opened: list[Memory] = []

    def open_one(where: Path | None = None, embedder: Any = "hash:32", **options: Any) -> Memory:
        opened.append(Memory(path if where is None else where, embedder, **options))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    return open_memory()


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    """A server of a language model that answers by rules."""
    with ScriptedLLM(all_rules()) as running:
        yield running
        running.check()
