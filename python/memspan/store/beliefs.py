"""What the history of records needs from a database."""

from __future__ import annotations

from typing import Protocol

__all__ = ["BeliefReader"]


class BeliefReader(Protocol):
    """What was believed before. Belongs to one view of the store."""

    def endings(self, user: str) -> dict[str, tuple[str, ...]]:
        """For each retired record of the user that names what took its place, the ids of that. O(retired records of
        the store)."""
