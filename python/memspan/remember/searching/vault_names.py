"""The names and tags of the vault, which nobody is told who did not ask for it."""

from __future__ import annotations

from typing import Final

from memspan.index import Index
from memspan.query import Query
from memspan.recall.plan_by_model import Withheld
from memspan.records import KINDS
from memspan.store import Store
from memspan.store.sqlite.statements import chunks
from memspan.times import now_micros

__all__ = ["vault_names", "vault_tags"]

_OTHERS: Final = [kind for kind in KINDS if kind != "vault"]


def vault_names(store: Store, index: Index, user: str) -> Withheld:
    """Speakers and tags of a user that only records of the vault have: of what is believed, and has not run out, of the
    others; of the vault whatever there is. O(log n) without such records, otherwise O(records of the user)."""
    indexed = index.stats(user=user)["kinds"].get("vault", 0)
    speakers: set[str] = set()
    tags: dict[str, None] = {}
    with store.reading() as reader:
        for piece in chunks(reader.lifetimes.of_kind(user, "vault") if indexed else []):
            for record in reader.fetch(user, piece).values():
                tags |= dict.fromkeys(record.tags)
                if record.speaker is not None:
                    speakers.add(record.speaker)
        for piece in chunks(reader.cold.of_kind(user, "vault")):  # whose tags may be in the hierarchy
            for cold in reader.cold.fetch(user, piece).values():
                tags |= dict.fromkeys(cold.record.tags)
        if speakers:
            speakers -= reader.speakers(user, now_micros(), but="vault")
    found = index.search_many([_outside(user, tag) for tag in tags])
    hidden = (tag for tag, hits in zip(tags, found, strict=True) if not len(hits))
    return Withheld(frozenset(speakers), frozenset(hidden))


def vault_tags(store: Store, index: Index, user: str) -> frozenset[str]:
    """The tags of `vault_names`."""
    return vault_names(store, index, user).tags


def _outside(user: str, tag: str) -> Query:
    views = ["symbolic"]
    return Query(user=user, require_tags=[tag], kinds=_OTHERS, views=views, k=1, exact=True, track=False)
