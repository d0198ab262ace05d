"""Change the tag hierarchy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TypeAlias

from memspan.errors import InvalidArgumentError, MemspanError, TagCycleError
from memspan.index import Index
from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.forgetting.forgetting import remove_if_nothing_is_left
from memspan.remember.input.fields import checked_name
from memspan.remember.input.tags import checked_tag
from memspan.remember.writing.change import Change
from memspan.store.protocol import Relation

from .dropping_relations import unrelate_within

__all__ = ["relate", "relate_all", "unrelate"]

_Edge: TypeAlias = tuple[str, str]


@survives_damage
def relate(engine: Engine, *, user: str, parent: str, child: str) -> bool:
    """See `Memory.relate`. The index decides whether the edge closes a cycle, inside the transaction; relations that
    `Memory.tag` made give way to the one that is given."""
    checked_name(user, "user")
    above, below = checked_tag(parent, "parent"), checked_tag(child, "child")
    with engine.changing() as change:
        related = _relate(change, user, above, below)
        if related:
            audited(change, "relate", user=user)
        return related


@survives_damage
def relate_all(engine: Engine, edges: Sequence[Relation]) -> dict[int, MemspanError]:
    """As `relate`, in one transaction; returns by position in the list what was refused, and why."""
    refused: dict[int, MemspanError] = {}
    related: Counter[str] = Counter()
    with engine.changing() as change:
        for position, (user, parent, child) in enumerate(edges):
            try:
                above, below = checked_tag(parent, "parent"), checked_tag(child, "child")
                related[user] += _relate(change, user, above, below)
            except (InvalidArgumentError, TagCycleError) as error:  # noqa: PERF203 - each by itself
                refused[position] = error
        for user, relations in related.items():
            if relations:
                audited(change, "relate", user=user, relations=relations)
    return refused


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


def _relate(change: Change, user: str, parent: str, child: str) -> bool:
    def enter(index: Index) -> bool:
        return index.relate(user=user, parent=parent, child=child)

    try:
        change.apply(enter)
    except TagCycleError:
        if not _give_way(change, user, parent, child):
            raise
        change.apply(enter)
    change.writer.jobs.own_relation(user, parent, child)
    return change.writer.relate(user, parent, child)


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
