"""Open a store for the length of one command."""

from __future__ import annotations

import getpass
import os
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
    with Memory(store, embedder, recipe=recipe, llm=llm, actor=_actor()) as memory:
        yield memory


def _actor() -> str:
    """Who acts: what `MEMSPAN_ACTOR` says, else the login name."""
    named = os.environ.get("MEMSPAN_ACTOR")
    if named:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        return ""
