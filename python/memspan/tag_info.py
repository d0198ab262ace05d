"""What is known of a tag."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TagInfo"]


class TagInfo(NamedTuple):
    """One tag of a user."""

    name: str
    records: int
    """How many records carry the tag itself."""
    parents: tuple[str, ...]
    children: tuple[str, ...]
    specificity: int
    """Longest path from a root; it grows along every path (SwiftMem 3.2, theorem 3.2)."""
