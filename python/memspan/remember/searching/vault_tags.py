"""The tags of the vault, which nobody is told who did not ask for it."""

from __future__ import annotations

from typing import Final

from memspan.index import Index
from memspan.limits import MAX_K
from memspan.query import Query
from memspan.records import KINDS
from memspan.store import Store
from memspan.store.sqlite.statements import chunks

__all__ = ["vault_tags"]

_OTHERS: Final = [kind for kind in KINDS if kind != "vault"]


def vault_tags(store: Store, index: Index, user: str) -> frozenset[str]:
    """Tags of a user that only records of the vault have, by its newest 10,000. O(1) without such records."""
    ids = [hit.id for hit in index.latest(user=user, k=MAX_K, kinds=["vault"])]
    if not ids:
        return frozenset()
    tags: dict[str, None] = {}
    with store.reading() as reader:
        for piece in chunks(ids):
            for record in reader.fetch(user, piece).values():
                tags |= dict.fromkeys(record.tags)
    found = index.search_many([_outside(user, tag) for tag in tags])
    return frozenset(tag for tag, hits in zip(tags, found, strict=True) if not len(hits))


def _outside(user: str, tag: str) -> Query:
    views = ["symbolic"]
    return Query(user=user, require_tags=[tag], kinds=_OTHERS, views=views, k=1, exact=True, track=False)
