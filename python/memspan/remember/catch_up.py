"""Bring an index up to the store's state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from memspan.index import Index
from memspan.store import StoreReader

from .capacity.quota_settings import apply_quotas, drop_outlived_quotas
from .writing.indexing import index_records

__all__ = ["apply_changes", "reconcile", "reconcile_relations"]

_BATCH: Final = 2048


def apply_changes(
    index: Index,
    reader: StoreReader,
    after: int,
    forgotten: Callable[[str], object],
    leaving: Callable[[str], object],
) -> int:
    """Apply everything that changed after that point of the sequence; returns how many changes that were.

    Afterwards the index equals the reader's view, provided that it equalled the view at `after`. Applying a
    change twice does no harm, so an interrupted call can be repeated. O(changes + records of users that lost
    something).

    Args:
        forgotten: is told each user who is not there any more.
        leaving: is told users before records of theirs leave the index for the cold tier: it does not tell their uses
            then.
    """
    removals = reader.removals(after)
    changes = 0
    if removals.any_user_vanished:
        existing = set(reader.users())
        # A user that came back under an old name is another user: what the index holds belongs to the old
        # one.
        for user in index.users():
            if user not in existing or user in removals.created:
                changes += index.forget(user=user) + 1
                forgotten(user)
    by_user: dict[str, list[str]] = {}
    for user, id_ in reader.cold.moved(after):
        by_user.setdefault(user, []).append(id_)
    for user, ids in by_user.items():
        leaving(user)
        changes += index.remove(user=user, ids=ids)
    for user in removals.users:
        changes += reconcile(index, reader, user)
    for user in set(removals.unrelated).difference(removals.users):
        changes += reconcile_relations(index, reader, user)
    apply_quotas(index, reader, after)
    for records in reader.changed(after, _BATCH):
        drop_outlived_quotas(index, reader, {record.user for record in records})
        index_records(index, records)
        changes += len(records)
    for user, parent, child in reader.relations(after=after):
        changes += index.relate(user=user, parent=parent, child=child)
    return changes


def reconcile(index: Index, reader: StoreReader, user: str) -> int:
    """Take out of the index what the store no longer has of a user; returns how many things that were.

    Removals are found by comparing, because a log of erased ids would keep what was to be erased.
    """
    gone = sorted(set(index.ids(user=user)).difference(reader.ids(user)))
    removed = index.remove(user=user, ids=gone) if gone else 0
    return removed + reconcile_relations(index, reader, user)


def reconcile_relations(index: Index, reader: StoreReader, user: str) -> int:
    """The same for relations alone. O(tags and relations of the user)."""
    removed = 0
    edges = {(relation.parent, relation.child) for relation in reader.relations(user)}
    for tag in index.tags(user=user, retired=True):
        for child in tag.children:
            if (tag.name, child) not in edges:
                removed += index.unrelate(user=user, parent=tag.name, child=child)
    return removed
