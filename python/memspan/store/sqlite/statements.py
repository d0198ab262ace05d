"""Parameters of SQL statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

__all__ = ["Parameters", "chunks", "marks"]

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]
"""For `?` by position or for `:name`; numbered `?1` is refused or warned about by some releases of Python."""

_MAX_PARAMETERS: Final = 1024


def chunks(values: Sequence[str], size: int = _MAX_PARAMETERS) -> Iterator[list[str]]:
    """The values in pieces small enough to be the parameters of one statement."""
    iterator = iter(values)
    while piece := list(islice(iterator, size)):
        yield piece


def marks(values: list[str]) -> tuple[str, list[str | None]]:
    """`?, ?, …` for an IN list, with NULLs up to a power of two so that few distinct statements get compiled.

    NULL is equal to nothing, so the padding never matches; such lists must not be used with NOT IN.
    """
    size = 1 << max(0, len(values) - 1).bit_length()
    return ", ".join("?" * size), [*values, *[None] * (size - len(values))]
