"""What is known of a tag."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TagInfo", "TagReport"]


class TagInfo(NamedTuple):
    """One tag of a user."""

    name: str
    records: int
    """How many records carry the tag itself."""
    parents: tuple[str, ...]
    children: tuple[str, ...]
    specificity: int
    """Longest path from a root; it grows along every path (SwiftMem 3.2, theorem 3.2)."""


class TagReport(NamedTuple):
    """What a call of `Memory.tag` or `Memory.untag` did."""

    users: int
    records: int
    """Records that were looked at."""
    tags: int
    """Different tags of a user that were made and not given by a caller, as they are now."""
    relations: int
    """Relations among tags that were made and not given."""
    changed: int
    """Records whose tags changed."""
