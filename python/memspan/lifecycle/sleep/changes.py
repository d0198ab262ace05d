"""What sleep does to memories, as values: each change says what it rests on, so that it can be checked again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from memspan.encode.clean import same_words
from memspan.record_order import record_order
from memspan.records import Record
from memspan.remember.input.fields import MAX_NAMES

__all__ = ["Action", "Change", "joined", "settled"]

Action: TypeAlias = Literal["merge", "update", "retire"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One step from old memories to new ones. Nothing is deleted: what gives way gets an end (`until`)."""

    action: Action
    """`merge`: several say the same or belong together, and one text takes their place. `update`: a memory is no
    longer right as it stands, and a new text takes its place, or a later memory that says just that. `retire`: a memory
    holds no longer, and nothing takes its place."""
    ending: tuple[Record, ...]
    """What gets an end; the queue's own memory first. Of an `update` several, where one text takes their place."""
    evidence: tuple[Record, ...] = ()
    """Later memories that it rests on and that stay as they are; empty for `merge`."""
    text: str | None = None
    """Of the new memory; `None` for `retire`, and for an `update` that a later memory says already."""

    @property
    def at(self) -> datetime:
        """When it takes effect: the time of the latest memory that it rests on."""
        return max(record.at for record in (*self.ending, *self.evidence))

    @property
    def id(self) -> str:
        """Of the new memory: the same for the same memories, whatever the text."""
        ending = sorted(record.id for record in self.ending)
        evidence = sorted(record.id for record in self.evidence)
        parts = [self.action, self.ending[0].user, *ending, "/", *evidence]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def settled(changes: Iterable[Change], overtaken: Callable[[Change], None]) -> list[Change]:
    """Those of the changes that can be applied together, oldest memory first; `overtaken` is told of the others.

    Queues are decided side by side, so that two may want the same memory. Each ends once, and what a change before it
    in that order ended is no evidence: the next sleep sees what became of it. What a change behind it ends is: of three
    places where somebody lived one after the other, the first ends by the second and the second by the third. So the
    first stays ended also when the third takes the second back; `undo` of the run restores it. O(n log n).
    """
    ended: set[str] = set()
    chosen = []
    for change in sorted(changes, key=lambda one: record_order(one.ending[0].at, one.ending[0].id)):
        if any(record.id in ended for record in (*change.ending, *change.evidence)):
            overtaken(change)
        else:
            ended.update(record.id for record in change.ending)
            chosen.append(change)
    return chosen


def joined(changes: Iterable[Change]) -> list[Change]:
    """The changes, with one instead of several updates that would write the same words: these would stand there as
    often as memories give way to them. What cannot be the source of one memory stays apart. O(n)."""
    chosen: list[Change] = []
    places: dict[tuple[object, ...], int] = {}
    for change in changes:
        if change.action == "update" and change.text is not None:
            first = change.ending[0]
            place = places.setdefault((first.user, first.kind, same_words(change.text)), len(chosen))
            if place < len(chosen):
                both = _both(chosen[place], change)
                if both is not None:
                    chosen[place] = both
                    continue
        chosen.append(change)
    return chosen


def _both(one: Change, other: Change) -> Change | None:
    ending = (*one.ending, *other.ending)
    ids = {record.id for record in ending}
    evidence = {each.id: each for each in (*one.evidence, *other.evidence) if each.id not in ids}
    sources = {id_ for part in (*ending, *evidence.values()) for id_ in (*part.sources, part.id)}
    if len(sources) > MAX_NAMES:
        return None
    return Change(action=one.action, ending=ending, evidence=tuple(evidence.values()), text=one.text)
