"""Token vectors that searches fetched, kept in memory until their records change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from memspan.ranking.late import TokenBlocks
from memspan.store import StoreReader

__all__ = ["TokenCache"]

# Over all users.
_MOST_BYTES: Final = 64 << 20
_NONE: Final = TokenBlocks(np.zeros((0, 0), np.int8))

_Fetched: TypeAlias = dict[str, tuple[tuple[int, int], TokenBlocks]]
"""By id: the key and sequence of its row, and its vectors."""


@dataclass(slots=True)
class _OfUser:
    sequence: int
    """A point of the store's sequence."""
    right: _Fetched = field(default_factory=dict)
    """What was right then, and"""
    earlier: _Fetched = field(default_factory=dict)
    """what was right before: it still is, if the record's row is the same."""
    bytes: int = 0

    def unchanged(self, ids: Sequence[str], versions: Mapping[str, tuple[int, int]]) -> _Fetched:
        """Those of the ids whose rows are still the same."""
        found = {}
        for id_ in ids:
            kept = self.right.get(id_) or self.earlier.get(id_)
            if kept is not None and kept[0] == versions.get(id_):
                found[id_] = kept
        return found

    def keep(self, sequence: int, fetched: _Fetched) -> None:
        """Take in what is right at this point."""
        if sequence != self.sequence:
            self.sequence = sequence
            self.earlier |= self.right
            self.right = {}
        for id_, (_, vectors) in fetched.items():
            before = self.right.get(id_) or self.earlier.pop(id_, None)
            self.bytes += vectors.nbytes - (0 if before is None else before[1].nbytes)
        self.right |= fetched


class TokenCache:
    """Thread-safe; the least recently used users go first, beyond 64 MB.

    Args:
        dim: values of a token's vector.
    """

    def __init__(self, dim: int) -> None:
        self._dim: Final = dim
        self._lock = threading.Lock()
        self._users: OrderedDict[str, _OfUser] = OrderedDict()
        self._bytes = 0
        self._forgotten = 0  # how often; what was read before may be what was erased

    def of(self, reader: StoreReader, user: str, ids: Sequence[str]) -> list[TokenBlocks]:
        """The token vectors of records; none for those that have none.

        One query when some are missing, and two when the store has changed since the user's were fetched.

        Raises:
            StoreError: those of a record are damaged.
        """
        forgotten = self._forgotten  # before the reader sees the store
        sequence = reader.sequence()
        with self._lock:
            known = self._users.get(user)
            before = None if known is None else known.sequence
            found = {}
            if known is not None and before == sequence:
                self._users.move_to_end(user)
                found = {id_: known.right[id_][1] for id_ in ids if id_ in known.right}
                if len(found) == len(ids):
                    return [found[id_] for id_ in ids]
        if before is not None and before != sequence:
            removals = reader.removals(before)
            if removals.any_user_vanished or user in removals.users:
                self.forget(user)  # What is erased is not to stay in memory.
                forgotten += 1  # the reader knows of this one
            else:
                found = self._unchanged(reader, user, ids, sequence)
        missing = [id_ for id_ in ids if id_ not in found]
        if not missing:
            return [found[id_] for id_ in ids]
        fetched = {
            id_: ((each.pk, each.sequence), TokenBlocks(each.vectors))
            for id_, each in reader.token_vectors(user, missing, self._dim).items()
        }
        # Not that some have none: they may get some, which does not advance the sequence.
        self._keep(user, sequence, fetched, forgotten)
        found |= {id_: vectors for id_, (_, vectors) in fetched.items()}
        return [found.get(id_, _NONE) for id_ in ids]

    def forget(self, user: str | None = None) -> None:
        """Let go what is kept of a user, or of all, as after an erasure."""
        with self._lock:
            self._forgotten += 1
            if user is None:
                self._clear()
            elif (known := self._users.pop(user, None)) is not None:
                self._bytes -= known.bytes

    def after_fork(self) -> None:
        """Start afresh: a thread that the child does not have may hold the lock, in the middle of a change."""
        self._lock = threading.Lock()
        self._clear()

    def _unchanged(
        self, reader: StoreReader, user: str, ids: Sequence[str], sequence: int
    ) -> dict[str, TokenBlocks]:
        """What was right at a point before this one and still is."""
        versions = reader.record_versions(user, ids)
        with self._lock:
            known = self._users.get(user)
            if known is None:
                return {}
            unchanged = known.unchanged(ids, versions)
            self._take_in(known, sequence, unchanged)
        return {id_: vectors for id_, (_, vectors) in unchanged.items()}

    def _keep(self, user: str, sequence: int, fetched: _Fetched, forgotten: int) -> None:
        with self._lock:
            if self._forgotten != forgotten:
                return
            known = self._users.get(user)
            if known is None:
                if not fetched:
                    return  # Any number of users may have none.
                known = self._users[user] = _OfUser(sequence)
            self._users.move_to_end(user)
            self._take_in(known, sequence, fetched)
            while len(self._users) > 1 and self._bytes > _MOST_BYTES:
                self._bytes -= self._users.popitem(last=False)[1].bytes
            if known.bytes > _MOST_BYTES:
                self._clear()

    def _take_in(self, known: _OfUser, sequence: int, fetched: _Fetched) -> None:
        before = known.bytes
        known.keep(sequence, fetched)
        self._bytes += known.bytes - before

    def _clear(self) -> None:
        self._users = OrderedDict()
        self._bytes = 0
