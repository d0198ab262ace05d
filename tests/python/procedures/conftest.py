from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memspan.memory import Memory


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.memspan"


@pytest.fixture
def open_memory(path: Path) -> Iterator[Callable[..., Memory]]:
    """Open the memory at `path` with a small hash embedder; closed at the end of the test."""
    opened: list[Memory] = []

    def open_one(**options: Any) -> Memory:
        opened.append(Memory(path, "hash:64", **options))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory()
