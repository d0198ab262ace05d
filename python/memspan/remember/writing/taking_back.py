"""Make an index again what it was before a change that was rolled back."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from memspan.index import Index
from memspan.store import StoreReader

from .indexing import index_records

__all__ = ["take_back"]

_BATCH: Final = 512


def take_back(index: Index, reader: StoreReader, keys: Iterable[tuple[str, str]]) -> None:
    """Let the index say of records, by (user, id), what the store does. O(keys)."""
    by_user: dict[str, dict[str, None]] = {}
    for user, id_ in keys:
        by_user.setdefault(user, {})[id_] = None
    for user, ids in by_user.items():
        if reader.has_user(user):
            every = list(ids)
            for start in range(0, len(every), _BATCH):
                _take_back(index, reader, user, every[start : start + _BATCH])
        else:
            index.forget(user=user)


def _take_back(index: Index, reader: StoreReader, user: str, ids: Collection[str]) -> None:
    stored = reader.fetch(user, list(ids), embeddings=True)
    index.remove(user=user, ids=[id_ for id_ in ids if id_ not in stored])
    left = [id_ for id_ in stored if not index.contains(user=user, id=id_)]
    index_records(index, list(stored.values()))
    if uses := reader.uses.of(user, left):
        # Of what has left it, an index forgets these.
        index.set_uses(
            user=user,
            ids=[use.record for use in uses],
            counts=[use.searches for use in uses],
            lasts=[use.last for use in uses],
        )
