"""What the history of records needs from a database."""

from __future__ import annotations

from typing import NamedTuple, Protocol

__all__ = ["BeliefReader", "Ending"]


class Ending(NamedTuple):
    """What took the place of a record."""

    id: str
    """Of the record, or of a version of it."""
    record: str
    """The id of the record itself."""
    by: tuple[str, ...]


class BeliefReader(Protocol):
    """What was believed before. Belongs to one view of the store."""

    def endings(self, user: str) -> list[Ending]:
        """Of each retired record of the user that names what took its place. O(retired records of the store)."""
