"""Sets of what is there as long as somebody else has it."""

from __future__ import annotations

from contextlib import suppress
from typing import TypeVar
from weakref import WeakSet

__all__ = ["all_of"]

T = TypeVar("T")


def all_of(some: WeakSet[T]) -> list[T]:
    """Those of the set. To go through it fails where another thread adds one at that moment; a fork, or the end of
    the interpreter, must not miss the others for that."""
    while True:
        with suppress(RuntimeError):
            return list(some)
