"""What counting uses needs from a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from memspan.times import Micros

__all__ = ["Use", "UseReader", "UseWriter"]


class Use(NamedTuple):
    """What searches made of a record."""

    record: str
    """Its id."""
    searches: int
    """How many returned it."""
    last: Micros
    """When the last of them was."""


class UseReader(Protocol):
    """Uses in one consistent view."""

    def written_after(self, after: Micros, batch: int) -> Iterator[Mapping[str, list[Use]]]:
        """What was written after that time, by user, in pages of so many uses. O(those)."""

    def changed(self, after: int, batch: int) -> Iterator[Mapping[str, list[Use]]]:
        """Uses of records that were written after that point of the change sequence, by user. O(those records)."""

    def of(self, user: str, ids: Sequence[str] | None = None) -> list[Use]:
        """The uses of a user's records, or of these of them; those without any are left out."""


class UseWriter(UseReader, Protocol):
    """Changes of uses inside the one exclusive transaction. None of them advances the change counter."""

    def add(self, user: str, uses: Sequence[Use], written: Micros) -> None:
        """Add counts to those that are there; nothing for a user who is not there any more, or for records that are
        neither in memory nor in the cold tier. `written_after` finds them by the time."""

    def forget(self, user: str, ids: Sequence[str]) -> int:
        """Erase what is known of these ids; returns of how many."""
