"""`learn`: procedures from transcripts, without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memspan.reports.procedure_info import ProcedureStep
from memspan.times import Micros

from .arguments import steps_of
from .patterns import Mining, find_patterns
from .preconditions import preconditions_of
from .runs import Run, runs_of
from .transcript import Request, Transcript

__all__ = ["Learned", "learn"]

_COMPARED: Final = 50
_WORD: Final = re.compile(r"\w+")
_PARTS: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Learned:
    """One procedure, as the transcripts show it."""

    name: str
    steps: tuple[ProcedureStep, ...]
    runs: tuple[Run, ...]
    """Complete ones, oldest first; never empty."""
    broken: tuple[Run, ...]
    preconditions: tuple[str, ...]
    asked: Request | None
    before: tuple[str, ...]
    """Ids of the turns that show the preconditions, newest first."""

    @property
    def actions(self) -> tuple[str, ...]:
        """Of its steps."""
        return tuple(step.action for step in self.steps)

    def since(self, time: Micros) -> Learned:
        """With the runs that ended after that time, and what these show; there may be none."""
        runs, broken = (tuple(run for run in found if run.at > time) for found in (self.runs, self.broken))
        good = [run for run in runs if run.success is not False] or runs
        before = _turns_of(self.preconditions, good)
        return replace(self, runs=runs, broken=broken, asked=_typical(good), before=before)


def learn(transcripts: Sequence[Transcript], settings: Mining | None = None) -> list[Learned]:
    """The procedures in some sessions, those with the most steps first. See `find_patterns` for what is one."""
    chosen = settings or Mining()
    patterns = find_patterns(
        [transcript.actions for transcript in transcripts],
        chosen,
        failed=[[event.success is False for event in transcript.events] for transcript in transcripts],
    )
    users_of = Counter(action for pattern in patterns for action in set(pattern.actions))
    found = []
    for pattern in patterns:
        complete, broken = runs_of(pattern, transcripts)
        good = [run for run in complete if run.success is not False] or complete
        # The last step that is this procedure's own tells best what it is for.
        own = [action for action in pattern.actions if users_of[action] == 1]
        preconditions = preconditions_of(complete, chosen.least)
        found.append(
            Learned(
                name=readable((own or pattern.actions)[-1]),
                steps=steps_of(good, chosen.least),
                runs=tuple(complete),
                broken=tuple(broken),
                preconditions=preconditions,
                asked=_typical(good),
                before=_turns_of(preconditions, good),
            )
        )
    return found


def readable(action: str) -> str:
    """`cancelOrder` and `cancel_order` as words."""
    return " ".join(_PARTS.findall(_HUMP.sub(" ", action))).lower() or action


def _turns_of(actions: Sequence[str], runs: Sequence[Run]) -> tuple[str, ...]:
    """The turns in which these were done before each run. O(actions of the sessions)."""
    wanted = set(actions)
    ids: dict[str, None] = {}
    looked_at: dict[int, int] = {}
    for run in reversed(runs if wanted else ()):
        start = looked_at.get(id(run.transcript), 0)
        for event in run.transcript.events[start : run.first]:
            if event.action in wanted:
                ids.update(dict.fromkeys(event.turns))
        looked_at[id(run.transcript)] = max(start, run.first)
    return tuple(ids)


def _typical(runs: Sequence[Run]) -> Request | None:
    """The request that has the most in common with the others; of equals the earliest, so that it changes rarely."""
    asked = {run.asked.id: run.asked for run in runs[-_COMPARED:] if run.asked is not None}
    words = {id_: set(_WORD.findall(one.text.casefold())) for id_, one in asked.items()}
    best: Request | None = None
    most = -1.0
    for id_, one in asked.items():
        alike = round(sum(_overlap(words[id_], other) for other in words.values()), 9)
        if alike > most:
            best, most = one, alike
    return best


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0
