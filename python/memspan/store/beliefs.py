"""What the history of records needs from a database."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from memspan.times import Micros

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
        """Of each retired record of the user, in memory or in the cold tier, that names what took its place. O(retired,
        pinned, held, expiring and evicted records of the user)."""

    def any_ended(self, user: str, when: Micros) -> bool:
        """Whether any of the user's records was retired by then. O(records of the user with a state)."""

    def learnt_later(self, user: str, when: Micros, most: int) -> list[str]:
        """Ids of retired records of the user that were recorded after that time, the last ones first. O(records of the
        user with a state)."""
