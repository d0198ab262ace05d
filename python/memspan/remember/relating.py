"""Change the tag hierarchy."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

from memspan.errors import TagCycleError

from .auditing import audited
from .change import Change
from .damage import survives_damage
from .engine import Engine
from .fields import checked_name
from .forgetting import remove_if_nothing_is_left
from .tags import checked_tag

__all__ = ["relate", "unrelate", "unrelate_within"]

_Edge: TypeAlias = tuple[str, str]


@survives_damage
def relate(engine: Engine, *, user: str, parent: str, child: str) -> bool:
    """See `Memory.relate`. The index decides whether the edge closes a cycle, inside the transaction; relations that
    `Memory.tag` made give way to the one that is given."""
    checked_name(user, "user")
    above, below = checked_tag(parent, "parent"), checked_tag(child, "child")
    with engine.changing() as change:
        try:
            change.apply(lambda index: index.relate(user=user, parent=above, child=below))
        except TagCycleError:
            if not _give_way(change, user, above, below):
                raise
            change.apply(lambda index: index.relate(user=user, parent=above, child=below))
        change.writer.jobs.own_relation(user, above, below)
        related = change.writer.relate(user, above, below)
        if related:
            audited(change, "relate", user=user)
        return related


@survives_damage
def unrelate(engine: Engine, *, user: str, parent: str, child: str) -> bool:
    """See `Memory.unrelate`."""
    checked_name(user, "user")
    above, below = checked_tag(parent, "parent"), checked_tag(child, "child")
    with engine.changing() as change:
        removed = change.writer.unrelate(user, above, below)
        if removed:
            change.apply(lambda index: index.unrelate(user=user, parent=above, child=below))
            audited(change, "unrelate", user=user)
            remove_if_nothing_is_left(change, user)
        return removed


def unrelate_within(change: Change, user: str, parent: str, child: str) -> None:
    """Take a relation out of the store and the index."""
    change.writer.unrelate(user, parent, child)
    change.apply(lambda index: index.unrelate(user=user, parent=parent, child=child))


def _give_way(change: Change, user: str, parent: str, child: str) -> bool:
    """Take out made relations until `parent` does not lie below `child`; `False`, with nothing changed, when it does
    by relations that were given."""
    made = {(each.parent, each.child) for each in change.writer.made_relations(user)}
    edges = {(each.parent, each.child) for each in change.writer.relations(user)}
    if parent == child or _path(edges - made, child, parent):
        return False
    while path := _path(edges, child, parent):
        edge = next(each for each in path if each in made)
        unrelate_within(change, user, *edge)
        edges.remove(edge)
    return True


def _path(edges: Collection[_Edge], start: str, end: str) -> list[_Edge]:
    """The edges from one tag down to another one; empty when there is no way. O(edges)."""
    children: dict[str, list[str]] = {}
    for parent, child in sorted(edges):
        children.setdefault(parent, []).append(child)
    ways: dict[str, list[_Edge]] = {start: []}
    waiting = [start]
    while waiting:
        tag = waiting.pop()
        for child in children.get(tag, ()):
            if child not in ways:
                ways[child] = [*ways[tag], (tag, child)]
                waiting.append(child)
    return ways.get(end, [])
