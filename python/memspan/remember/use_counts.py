"""Bring the uses that the index counts to the store, in batches, and back when an index is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from threading import Lock
from time import monotonic
from typing import Final

from memspan.errors import CorruptSnapshotError
from memspan.index import Index
from memspan.store import StoreReader
from memspan.store.uses import Use
from memspan.times import Micros, now_micros

from .writing.change import Change

__all__ = ["UseCounts"]

_SECONDS: Final = 10.0
"""Between two writes of uses that ride on other transactions."""
_LONG: Final = 60.0
_MANY: Final = 4096
"""After so many searches and `_LONG` seconds, uses are written even though nothing else is."""
_BATCH: Final = 2048
"""Records whose uses ride on one transaction; other writers wait for it."""
_PAGE: Final = 2048
"""Uses that are read at a time."""
_NEVER: Final = -1
_WRITTEN: Final = "uses_written"
"""The setting that says when uses were written last."""


class UseCounts:
    """Whose records were searched since uses were last written.

    A crash takes the uses that were not written: they are statistics. `note` may be called from any thread without a
    lock, as sets and integers change in one step; one search more or less does no harm. `unwritten` may be, too: a lock
    guards what was taken from an index and waits to be written. Everything else belongs to whoever holds the store's
    write lock.
    """

    def __init__(self) -> None:
        self._users: set[str] = set()
        self._lock = Lock()
        self._waiting: dict[str, dict[str, Use]] = {}
        """By user and record."""
        self._unsure: list[dict[str, list[Use]]] = []
        """Written in a transaction that has not ended."""
        self._known_before: Micros = _NEVER
        """`known` when it began."""
        self._begun = False
        """Whether a batch was written and the rest waits."""
        self._searches = 0
        self._written = monotonic()
        self.known: Micros = _NEVER
        """The index has all uses that were written to the store by then."""

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
    def batches(self) -> int:
        """How many transactions it takes to write what was taken from the index and waits."""
        with self._lock:
            return -(-sum(map(len, self._waiting.values())) // _BATCH)

    @property
    def due(self) -> bool:
        """Whether a transaction should take uses along."""
        return self._begun or (not self.empty and monotonic() - self._written >= _SECONDS)

    def unwritten(self, index: Index, user: str) -> dict[str, Micros]:
        """When records of a user were last used, as far as nobody has written that yet. O(records) if there were
        searches since the last time."""
        if user in self._users:
            self._keep(user, zip(*index.take_uses(user=user), strict=True))
        with self._lock:
            return {id_: use.last for id_, use in self._waiting.get(user, {}).items()}

    def take(self, index: Index) -> None:
        """Take what the index counted, to be written later: it does not tell the uses of what has left it. O(records of
        whoever searched since the last time)."""
        users, self._users = self._users, set()
        for user in sorted(users):
            self._keep(user, zip(*index.take_uses(user=user), strict=True))

    def keep(self, index: Index, users: Iterable[str]) -> None:
        """Take what the index counted of users whose records it may evict now. O(their records), where they were
        searched since the last time and have quotas."""
        for user in self._users.intersection(users):
            if index.quotas(user=user) is not None or index.quotas(user=None) is not None:
                self._users.discard(user)
                self._keep(user, zip(*index.take_uses(user=user), strict=True))

    def write(self, change: Change, most: int | None = _BATCH) -> None:
        """Take what the index counted and write it, or a part of it; the next ones write the rest. O(`most`), and once
        in a while O(records used since the last time)."""
        if self.empty:
            return
        if self._users:
            self.take(change.index)  # which is no change of what there is
        before = _last_written(change.writer)
        # Whatever the clock does: what comes later is written later.
        now = max(now_micros(), before + 1)
        if not self._unsure:
            self._known_before = self.known
        taken = self._next(most)
        self._unsure.append(taken)
        for user, uses in taken.items():
            change.writer.uses.add(user, uses, now)
        self._begun = bool(self._waiting)
        self._searches, self._written = 0, monotonic()
        change.writer.set_meta(_WRITTEN, str(now))
        if before == self.known:
            self.known = now  # Nobody else wrote in between.

    def committed(self) -> None:
        """What was written is in the store."""
        self._unsure = []

    def give_back(self) -> None:
        """What was written is not in the store: the next transaction takes it along."""
        unsure, self._unsure = self._unsure, []
        if not unsure:
            return
        self.known = self._known_before
        for taken in unsure:
            for user, uses in taken.items():
                self._keep(user, uses)
        self._begun = bool(self._waiting)

    def learn(self, index: Index, reader: StoreReader) -> None:
        """Tell the index what was written since it knew everything, by others, too. O(that), if others wrote."""
        written = _last_written(reader)
        if self.known < written:
            for page in reader.uses.written_after(self.known, _PAGE):
                _set_uses(index, page)
            self.known = written

    def load(self, index: Index, reader: StoreReader, known: Micros, sequence: int) -> None:
        """Tell an index that was just made or loaded what it lacks of the uses.

        Args:
            known: the time up to which a loaded one knows what was written; below 0 for one that knows of none.
            sequence: of a loaded one. Records that came back from the cold tier since have uses from before.
        """
        self.known = max(known, _NEVER)
        if known >= 0:
            for page in reader.uses.changed(sequence, _PAGE):
                _set_uses(index, page)
        self.learn(index, reader)

    def _keep(self, user: str, taken: Iterable[tuple[str, int, Micros]]) -> None:
        with self._lock:
            for id_, count, last in taken:
                own = self._waiting.setdefault(user, {})
                before = own.get(id_, Use(id_, 0, 0))
                own[id_] = Use(id_, before.searches + int(count), max(before.last, int(last)))

    def _next(self, most: int | None) -> dict[str, list[Use]]:
        """Uses that wait no longer, by user."""
        with self._lock:
            if most is None:
                every, self._waiting = self._waiting, {}
                return {user: list(own.values()) for user, own in every.items()}
            chosen: dict[str, list[Use]] = {}
            for user in list(self._waiting):
                own = self._waiting[user]
                ids = list(islice(own, most - sum(map(len, chosen.values()))))
                if ids:
                    chosen[user] = [own.pop(id_) for id_ in ids]
                if not own:
                    del self._waiting[user]
            return chosen


def _last_written(reader: StoreReader) -> Micros:
    written = reader.meta(_WRITTEN)
    return _NEVER if written is None else int(written)


def _set_uses(index: Index, uses: Mapping[str, Sequence[Use]]) -> None:
    for user, own in uses.items():
        # Opening reads nobody's part of a snapshot: whoever asks for a damaged one finds out, and loads it all anew.
        with suppress(CorruptSnapshotError):
            index.set_uses(
                user=user,
                ids=[use.record for use in own],
                counts=[use.searches for use in own],
                lasts=[use.last for use in own],
            )
