"""What is remembered of procedures that were forgotten or undone: that they are not to be learnt again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memspan.times import Micros

__all__ = ["UnlearntReader", "UnlearntWriter"]


class UnlearntReader(Protocol):
    """In one consistent view."""

    def any(self, user: str) -> bool:
        """Whether anything is remembered of the user's. O(log n)."""

    def through(self, user: str, actions: Sequence[Sequence[str]]) -> list[Micros | None]:
        """For the actions of each procedure, the time of the last run that does not count any more; `None` where all
        runs do."""


class UnlearntWriter(UnlearntReader, Protocol):
    """Changes inside the one exclusive transaction. They do not advance the change counter."""

    def add(self, user: str, actions: Sequence[str], through: Micros) -> None:
        """Runs of a procedure with these actions, up to that time, do not count any more. Only a fingerprint of the
        actions is kept, for as long as there is the user."""
