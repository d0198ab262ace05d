"""Relations between tags that are taken out, and those that go with a tag's last record: a tag says something about
the records that have it."""

from __future__ import annotations

from collections.abc import Collection

from memspan.remember.writing.change import Change

__all__ = ["drop_relations", "unrelate_within"]


def unrelate_within(change: Change, user: str, parent: str, child: str) -> None:
    """Take a relation out of the store and the index."""
    change.writer.unrelate(user, parent, child)
    change.apply(lambda index: index.unrelate(user=user, parent=parent, child=child))


def drop_relations(change: Change, user: str, tags: Collection[str] = ()) -> None:
    """Drop relations of tags that no record has any more. Made ones also where the records were overwritten or evicted
    before: they name what these said. O(relations of the user), and O(tags, and cold records) where they name some
    that may be without records.

    Args:
        tags: whose relations go even if they were given: those of what is erased.
    """
    writer = change.writer
    made = writer.made_relations(user)
    edges = made.union(one for one in writer.relations(user) if not {one.parent, one.child}.isdisjoint(tags))
    named = {tag for edge in edges for tag in (edge.parent, edge.child) if edge in made or tag in tags}
    if not named:
        return
    unused = named.difference(tag.name for tag in change.index.tags(user=user, retired=True) if tag.records)
    if unused and not writer.cold.empty:
        unused -= writer.cold.tags(user)
    going = [
        one
        for one in edges
        if not {one.parent, one.child}.isdisjoint(unused if one in made else unused.intersection(tags))
    ]
    for one in sorted(going):
        unrelate_within(change, *one)
