"""The names and tags that no model is told: of the vault, unless it is asked for, and of what has run out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from memspan.index import Index
from memspan.query import Query
from memspan.recall.plan_by_model import Withheld
from memspan.records import KINDS, Record
from memspan.store import Store, StoreReader
from memspan.store.sqlite.statements import chunks
from memspan.times import now_micros

__all__ = ["withheld_names", "withheld_tags"]

_OTHERS: Final = [kind for kind in KINDS if kind != "vault"]
_EXPIRED: Final = 10_000
"""Records that have run out and wait for sleep, which are looked at."""


def withheld_names(store: Store, index: Index, user: str, *, vault: bool = False) -> Withheld:
    """Speakers and tags of a user that only such records have: no other that is believed, and has not run out. O(log n)
    where there are none of these records, otherwise O(records of the user).

    Args:
        vault: whether the vault is asked for by name, and may be told.
    """
    now = now_micros()
    with store.reading() as reader:
        hidden = list(_hidden(reader, index, user, now, vault))
        speakers = {record.speaker for record in hidden if record.speaker is not None}
        if speakers:
            speakers -= reader.speakers(user, now, but=None if vault else "vault")
    return Withheld(frozenset(speakers), _tags(index, user, hidden, vault))


def withheld_tags(store: Store, index: Index, user: str) -> frozenset[str]:
    """The tags of `withheld_names`."""
    with store.reading() as reader:
        hidden = list(_hidden(reader, index, user, now_micros(), False))
    return _tags(index, user, hidden, False)


def _tags(index: Index, user: str, hidden: Iterable[Record], vault: bool) -> frozenset[str]:
    tags = list(dict.fromkeys(tag for record in hidden for tag in record.tags))
    kinds = [*KINDS] if vault else _OTHERS
    found = index.search_many([_outside(user, tag, kinds) for tag in tags])
    return frozenset(tag for tag, hits in zip(tags, found, strict=True) if not len(hits))


def _hidden(reader: StoreReader, index: Index, user: str, now: int, vault: bool) -> Iterator[Record]:
    stats = index.stats(user=user)
    ids = []
    if stats["expiring"]:
        ids += [id_ for _, id_ in reader.lifetimes.expired(user, now, _EXPIRED, kept=True)]
    if stats["kinds"].get("vault") and not vault:
        ids += reader.lifetimes.of_kind(user, "vault")
    for piece in chunks(list(dict.fromkeys(ids))):
        yield from reader.fetch(user, piece).values()
    # Whose tags may be in the hierarchy.
    for piece in chunks([] if vault else reader.cold.of_kind(user, "vault")):
        for cold in reader.cold.fetch(user, piece).values():
            yield replace(cold.record, speaker=None)


def _outside(user: str, tag: str, kinds: list[str]) -> Query:
    views = ["symbolic"]
    return Query(user=user, require_tags=[tag], kinds=kinds, views=views, k=1, exact=True, track=False)
