"""What times to live need from a database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from memspan.times import Micros

__all__ = ["LifetimeReader", "LifetimeWriter", "UnsettledLifetime"]


class UnsettledLifetime(NamedTuple):
    """A time to live that some of the records it is for have their ends from, and others not yet."""

    user: str | None
    """Whose it is; `None`: everybody's."""
    kind: str
    seconds: float | None
    """`None`: that was there is taken back."""
    by: str
    """Who sees to it; empty for nobody."""
    done: int = 0
    """Records that it has come to, for others to see that it goes on."""


class LifetimeReader(Protocol):
    """Times to live by kind, and what has expired. Belongs to one view of the store."""

    def lifetimes(self, user: str | None) -> Mapping[str, float]:
        """Seconds by kind, as they were set for the user, or with `None` for everybody else."""

    def of_kind(self, user: str, kind: str) -> list[str]:
        """Ids of the user's records of a kind. O(records of the user)."""

    def expired(
        self, user: str | None, now: Micros, limit: int, *, kept: bool = False
    ) -> list[tuple[str, str]]:
        """User and id of records whose life is over, the earliest first; those that are pinned or held, which stay all
        the same, only with `kept`. O(log n + found, pinned and held)."""

    def none_set(self) -> bool:
        """Whether neither a user nor everybody has any time to live. O(1)."""

    def any_expiring(self) -> bool:
        """Whether any record has an end of its life. O(log n)."""

    def unsettled(self) -> list[UnsettledLifetime]:
        """Times to live that were begun to be set, and have not come to the end of it. O(found)."""


class LifetimeWriter(LifetimeReader, Protocol):
    """Changes inside the one exclusive transaction."""

    def set_lifetime(self, user: str | None, kind: str, seconds: float | None) -> None:
        """`None` takes it back. A user that is not there is made for one; lifetimes go with their user."""

    def unsettle(self, begun: UnsettledLifetime) -> None:
        """Note that this transaction gives the first records their ends; in place of an earlier note for the same user
        and kind. Does not advance the change counter."""

    def settle(self, done: UnsettledLifetime) -> None:
        """Take the note back, unless there is another one since. Does not advance the change counter."""
