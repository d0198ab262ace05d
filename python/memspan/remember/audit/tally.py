"""How much was added, until it is entered in the audit."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from time import monotonic
from typing import Final, NamedTuple

__all__ = ["Added", "Tally"]

_MOST: Final = 256
_SECONDS: Final = 30.0


class Added(NamedTuple):
    """A line of the tally."""

    actor: str
    user: str
    records: int


class Tally:
    """Counts single adds by actor and user, to be entered in the audit together.

    An entry for each of them would make a small write two thirds larger (five pages of log instead of three). What a
    crash takes of these counts, 256 records or 30 seconds of adding at most, the records themselves still tell.
    Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str], int] = {}
        self._total = 0
        self._since = 0.0

    def add(self, actor: str, user: str, records: int) -> None:
        """Count records of a user, after they were committed."""
        key = actor, user
        with self._lock:
            if not self._counts:
                self._since = monotonic()
            self._counts[key] = self._counts.get(key, 0) + records
            self._total += records

    @property
    def empty(self) -> bool:
        """Whether nothing is counted."""
        return not self._counts

    @property
    def due(self) -> bool:
        """Whether it is time to enter it."""
        # Without the lock: one record more or less makes no difference.
        return self._total > 0 and (self._total >= _MOST or monotonic() - self._since >= _SECONDS)

    def take(self) -> list[Added]:
        """Everything that was counted, which starts afresh."""
        with self._lock:
            taken, self._counts, self._total = self._counts, {}, 0
        return [Added(*key, records) for key, records in taken.items()]

    def give_back(self, lines: Iterable[Added]) -> None:
        """Count what was taken again: it could not be entered."""
        for line in lines:
            self.add(*line)
