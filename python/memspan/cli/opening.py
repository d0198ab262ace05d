"""Open a store for the length of one command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memspan.llm import LLMSpec
from memspan.memory import Memory

__all__ = ["open_memory"]


@contextmanager
def open_memory(
    store: Path, embedder: str | None = None, *, recipe: str = "verbatim", llm: LLMSpec = None
) -> Iterator[Memory]:
    """The memory at `store`, closed at the end whatever happens."""
    with Memory(store, embedder, recipe=recipe, llm=llm) as memory:
        yield memory
