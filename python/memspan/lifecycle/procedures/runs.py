"""`Run`: one time that a procedure was followed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from memspan.times import Micros

from .patterns import Occurrence, Pattern
from .transcript import Event, Request, Transcript

__all__ = ["Run", "runs_of"]


@dataclass(frozen=True, slots=True)
class Run:
    """One time that a procedure was followed, or begun."""

    transcript: Transcript
    first: int
    """Place of its first step in the transcript."""
    events: tuple[Event, ...]
    """Its steps; fewer than the procedure has when it stopped at one that failed."""
    success: bool | None
    """Of the last step; false when it stopped before."""
    asked: Request | None
    """What was said before it."""

    @property
    def at(self) -> Micros:
        """When its last step was taken."""
        return self.events[-1].at

    @property
    def turns(self) -> tuple[str, ...]:
        """Ids of the turns that its steps stand in."""
        return tuple(dict.fromkeys(id_ for event in self.events for id_ in event.turns))

    @property
    def key(self) -> str:
        """The same for the same run, and nothing else: a fingerprint of where it began."""
        first = self.events[0]
        return hashlib.sha256(f"{first.action}\0{first.turns[0]}".encode()).hexdigest()[:12]


def runs_of(pattern: Pattern, transcripts: Sequence[Transcript]) -> tuple[list[Run], list[Run]]:
    """The complete runs of a pattern and the broken ones, each in the order of time."""

    def run(one: Occurrence, success: bool | None) -> Run:
        transcript = transcripts[one.sequence]
        events = tuple(transcript.events[place] for place in one.places)
        return Run(transcript, one.places[0], events, success, transcript.asked(one.places[0]))

    complete = [run(one, transcripts[one.sequence].events[one.places[-1]].success) for one in pattern.runs]
    broken = [run(one, False) for one in pattern.broken]
    return sorted(complete, key=lambda one: one.at), sorted(broken, key=lambda one: one.at)
