"""What the history of records needs from a database."""

from __future__ import annotations

from collections.abc import Collection
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

    def endings(self, user: str, ids: Collection[str]) -> list[Ending]:
        """Of those of the user's records, or versions, in memory or in the cold tier, that are retired and name what
        took their place. O(ids)."""

    def ended(self, user: str, by: Collection[str]) -> list[Ending]:
        """The same of all records that name one of these. O(what names them, or did)."""

    def any_ended(self, user: str, when: Micros) -> bool:
        """Whether any of the user's records was retired by then. O(records of the user with a state)."""

    def learnt_later(self, user: str, when: Micros, most: int) -> list[str]:
        """Ids of retired records of the user that were recorded after that time, the last ones first. O(records of the
        user with a state)."""
