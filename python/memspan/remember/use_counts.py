"""Bring the uses that the index counts to the store, in batches, and back when an index is loaded."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Final

from memspan.errors import CorruptSnapshotError
from memspan.index import Index
from memspan.store import StoreReader
from memspan.store.uses import Use
from memspan.times import Micros, now_micros

from .change import Change

__all__ = ["UseCounts", "load_uses"]

_SECONDS: Final = 10.0
"""Between two writes of uses that ride on other transactions."""
_LONG: Final = 60.0
_MANY: Final = 4096
"""After so many searches and `_LONG` seconds, uses are written even though nothing else is."""
_BATCH: Final = 2048
"""Records whose uses ride on one transaction; other writers wait for it."""
_OLDEST: Final = 3_600_000_000
"""Microseconds for which a use may have waited before it was written."""
_WRITTEN: Final = "uses_written"
"""The setting that says when uses were written last."""


class UseCounts:
    """Whose records were searched since uses were last written.

    A crash takes the uses that were not written: they are statistics. `note` may be called from any thread without a
    lock, as sets and integers change in one step; one search more or less does no harm. Everything else belongs to
    whoever holds the store's write lock.
    """

    def __init__(self) -> None:
        self._users: set[str] = set()
        self._waiting: list[tuple[str, Use]] = []
        self._searches = 0
        self._written = monotonic()

    def note(self, user: str) -> bool:
        """Note a search; whether it is time to write, although nobody else does."""
        self._users.add(user)
        self._searches += 1
        if self._searches < _MANY or monotonic() - self._written < _LONG:
            return False
        self._searches = 0
        return True

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        return not self._users and not self._waiting

    @property
    def due(self) -> bool:
        """Whether a transaction should take uses along."""
        return bool(self._waiting) or (bool(self._users) and monotonic() - self._written >= _SECONDS)

    def write(self, change: Change, most: int | None = _BATCH) -> None:
        """Take what the index counted and write it, or a part of it; the next ones write the rest. O(`most`), and once
        in a while O(records used since the last time)."""
        if self.empty:
            return
        if self._users:
            users, self._users = self._users, set()
            for user in sorted(users):
                taken = change.apply(partial(Index.take_uses, user=user))
                rows = zip(*taken, strict=True)
                self._waiting += [(user, Use(id_, int(count), int(last))) for id_, count, last in rows]
        now = len(self._waiting) if most is None else most
        by_user: dict[str, list[Use]] = {}
        for user, use in self._waiting[:now]:
            by_user.setdefault(user, []).append(use)
        for user, uses in by_user.items():
            change.writer.uses.add(user, uses)
        del self._waiting[:now]
        self._searches, self._written = 0, monotonic()
        change.writer.set_meta(_WRITTEN, str(now_micros()))


def load_uses(index: Index, reader: StoreReader, known: Micros) -> None:
    """Tell an index that was just made or loaded what was written of uses, if any was after the moment up to which it
    knows them. O(uses) then."""
    written = reader.meta(_WRITTEN)
    if written is None or int(written) <= known:
        return
    for user in reader.uses.users(known - _OLDEST):
        uses = reader.uses.of(user)
        # Opening reads nobody's part of a snapshot: whoever asks for a damaged one finds out, and loads it all anew.
        with suppress(CorruptSnapshotError):
            index.set_uses(
                user=user,
                ids=[use.record for use in uses],
                counts=[use.searches for use in uses],
                lasts=[use.last for use in uses],
            )
