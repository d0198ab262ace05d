"""What a format is to the rest of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .fields import is_name
from .source import Item
from .turns import Turn

__all__ = ["Format", "Request", "first_object", "unique"]


@dataclass(frozen=True, slots=True)
class Request:
    """What a reader knows besides the values of the file."""

    file: str
    """The file's name in error messages."""
    path: Path | None
    """The file's path; `None` for standard input."""
    user: str | None
    """The user that the caller asked for."""

    @property
    def name(self) -> str | None:
        """The file's name without its suffix, if that can be a user; on disk it may be no Unicode text."""
        return self.path.stem if self.path is not None and is_name(self.path.stem) else None


@dataclass(frozen=True, slots=True)
class Format:
    """A file format: how to recognise it and how to read it."""

    name: str
    summary: str
    """One line for help texts."""
    matches: Callable[[Any], bool]
    """Whether the first JSON value of a file looks like this format; true for any value it could read well.
    """
    read: Callable[[Iterable[Item], Request], Iterator[Turn]]
    """Reads a file's values lazily; raises only `FormatError`."""


def first_object(value: Any) -> dict[str, Any]:
    """The value, or the first element of a list, when that is an object; else an empty object."""
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, dict) else {}


def unique(name: str, uses: dict[str, int]) -> str:
    """`name`, or `name#2`, `name#3`, ... when it was used before; `uses` counts the names given out.

    Keeps turns apart that a data set numbers alike, which would otherwise replace each other. Amortised O(1).
    """
    free = name
    while free in uses:
        uses[name] += 1
        free = f"{name}#{uses[name]}"
    uses[free] = 1
    return free
