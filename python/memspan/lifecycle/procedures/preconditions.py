"""What was always done before a procedure, in the same session."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from .runs import Run

__all__ = ["preconditions_of"]

_CHANCE = 0.05


def preconditions_of(runs: Sequence[Run], least: int) -> tuple[str, ...]:
    """Actions that worked before every run that worked, in the order in which they were done before the last of these.

    That must be unlikely to be so by chance: had each session its actions in any order, one of 20 at most would look
    like it. Without `least` runs there is nothing to tell. O(sessions).

    Args:
        runs: complete ones; those that failed or did not say are no evidence.
    """
    good = [run for run in runs if run.success is not False]
    if len(good) < least:
        return ()
    before = [
        {event.action for event in run.transcript.events[: run.first] if event.success is not False}
        for run in good
    ]
    steps = {event.action for event in good[-1].events}
    always = set.intersection(*before).difference(steps)
    known = [action for action in always if _by_chance(action, good) <= _CHANCE]
    last = good[-1]
    places = {
        event.action: -place for place, event in enumerate(reversed(last.transcript.events[: last.first]))
    }
    return tuple(sorted(known, key=lambda action: places[action]))


def _by_chance(action: str, runs: Sequence[Run]) -> float:
    """How likely it is that the action stands before each run when the actions of its session are shuffled."""
    likely = 1.0
    for run in runs:
        actions = run.transcript.actions
        others, times = len(actions) - len(run.events), actions.count(action)
        # None of its places is among those before the run.
        likely *= 1.0 - comb(max(0, others - times), run.first) / max(1, comb(others, run.first))
    return likely
