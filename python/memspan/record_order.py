"""The order of records in time, the same as the core's."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["record_order"]

T = TypeVar("T")


def record_order(at: T, id: str) -> tuple[T, int, str]:
    """A key to sort by, earliest first; of one time the shorter id, of equal length the smaller. So ids that count up
    ("m9", "m10") come in the order in which they were given, and so do generated ones."""
    return at, len(id.encode()), id
