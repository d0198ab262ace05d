"""What was always done before a procedure, in the same session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb, exp, lgamma

from .runs import Run
from .transcript import Transcript

__all__ = ["preconditions_of"]

_CHANCE = 0.05
_EXACT = 60


class _Session:
    """The actions of a session: how often each was done, and where each worked first."""

    def __init__(self, transcript: Transcript) -> None:
        self.size = len(transcript.events)
        self.times = Counter(event.action for event in transcript.events)
        self.worked: dict[str, int] = {}
        for place, event in enumerate(transcript.events):
            if event.success is not False:
                self.worked.setdefault(event.action, place)


def preconditions_of(runs: Sequence[Run], least: int) -> tuple[str, ...]:
    """Actions that worked before every run that worked, in the order in which they were done before the last of these.

    That must be unlikely to be so by chance: had each session its actions in any order, one of 20 at most would look
    like it. Without `least` runs there is nothing to tell. O(actions of the sessions, and runs times different ones).

    Args:
        runs: complete ones; those that failed or did not say are no evidence.
    """
    good = [run for run in runs if run.success is not False]
    if len(good) < least:
        return ()
    transcripts = {id(run.transcript): run.transcript for run in good}
    sessions = {key: _Session(transcript) for key, transcript in transcripts.items()}
    places = [(run, sessions[id(run.transcript)]) for run in good]
    last = good[-1]
    steps = {event.action for event in last.events}
    always = [
        action
        for action in sessions[id(last.transcript)].worked
        if action not in steps
        and all(session.worked.get(action, run.first) < run.first for run, session in places)
    ]
    known = {action for action in always if _by_chance(action, places) <= _CHANCE}
    done = (event.action for event in last.transcript.events[: last.first])
    return tuple(dict.fromkeys(action for action in done if action in known))


def _by_chance(action: str, places: Sequence[tuple[Run, _Session]]) -> float:
    """How likely it is that the action stands before each run when the actions of its session are shuffled."""
    likely = 1.0
    for run, session in places:
        likely *= 1.0 - _elsewhere(session.times[action], session.size - len(run.events), run.first)
    return likely


def _elsewhere(times: int, places: int, before: int) -> float:
    """How likely it is that what stands at some of the places stands at none of the first ones: exact for few."""
    left = max(0, places - times)
    if left < before:
        return 0.0
    if places <= _EXACT:
        return comb(left, before) / max(1, comb(places, before))
    # Of sessions of thousands of actions the numbers themselves have thousands of digits.
    return exp(
        lgamma(left + 1) - lgamma(left - before + 1) - lgamma(places + 1) + lgamma(places - before + 1)
    )
