"""What sleep does to memories, as values: each change says what it rests on, so that it can be checked again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from memspan.records import Record

__all__ = ["Action", "Change", "settled"]

Action: TypeAlias = Literal["merge", "update", "retire"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One step from old memories to new ones. Nothing is deleted: what gives way gets an end (`until`)."""

    action: Action
    """`merge`: several say the same or belong together, and one text takes their place. `update`: a memory is no
    longer right as it stands, and a new text takes its place, or a later memory that says just that. `retire`: a memory
    holds no longer, and nothing takes its place."""
    ending: tuple[Record, ...]
    """What gets an end; the queue's own memory first."""
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
    for change in sorted(changes, key=lambda one: (one.ending[0].at, one.ending[0].id)):
        if any(record.id in ended for record in (*change.ending, *change.evidence)):
            overtaken(change)
        else:
            ended.update(record.id for record in change.ending)
            chosen.append(change)
    return chosen
