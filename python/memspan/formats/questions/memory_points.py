"""The memory points of HaluMem: what should be remembered of each session, for the judges of memories."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..fields import as_list, as_name, as_text, each_object, optional, required
from ..place import Place
from ..sessions import placed_objects
from ..source import json_values, open_source

__all__ = ["MemoryPoint", "read_memory_points"]

_MISLEADING = "interference"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPoint:
    """One thing that the labels say of a session."""

    text: str
    importance: float
    """0-1, as the labels have it; 1 where they do not say."""
    interference: bool
    """It was put in to mislead, and should not be remembered."""


def read_memory_points(path: str | os.PathLike[str]) -> dict[str, dict[str, tuple[MemoryPoint, ...]]]:
    """The points of a HaluMem file by user and session (`session_N`, as the turns have it), in order.

    Raises:
        FormatError: the file is damaged or of another layout.
    """
    path = Path(path)
    found: dict[str, dict[str, tuple[MemoryPoint, ...]]] = {}
    with open_source(path) as reader:
        for place, holder in each_object(json_values(reader, str(path))):
            user = required(holder, "uuid", place, as_name)
            sessions = placed_objects(required(holder, "sessions", place, as_list), place["sessions"])
            found[user] = {
                f"session_{number}": tuple(_points(session, position))
                for number, (position, session) in enumerate(sessions, 1)
            }
    return found


def _points(session: Mapping[str, Any], place: Place) -> Iterator[MemoryPoint]:
    given = optional(session, "memory_points", place, as_list) or []
    for position, fields in placed_objects(given, place["memory_points"]):
        yield MemoryPoint(
            text=required(fields, "memory_content", position, as_text),
            importance=_share(fields.get("importance")),
            interference=fields.get("memory_source") == _MISLEADING,
        )


def _share(value: Any) -> float:
    """A number from 0 to 1; anything else says nothing."""
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if usable else 1.0
