"""Procedures as records: what is stored of one, and how a new look at the transcripts changes it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeGuard

from memspan.encode.procedure_text import Wording, wording_of, written
from memspan.records import Record
from memspan.remember.input.fields import MAX_NAMES
from memspan.reports.procedure_info import Procedure, ProcedureStep
from memspan.times import MAX_MICROS, MIN_MICROS, Micros, from_micros, to_micros

from .learning import Learned
from .runs import Run

__all__ = ["STAGE", "Known", "is_learnt", "last_run", "new_id", "procedure_of", "recorded"]

STAGE: Final = "learning"
"""In the metadata of what was learnt from many runs; the stage `procedures` of a recipe makes records of single
runs."""

_SEEN: Final = 256
"""Runs that a record remembers one by one, the newest; older ones are only counted. A transcript from before these that
is added late is taken for one that was counted."""
_FIDELITY: Final = 0.7
_NEVER: Final = -(1 << 62)
_MOST: Final = 1 << 40
"""Runs that are counted: more are none."""


def is_learnt(record: Record) -> bool:
    """Whether learning made the record and may change it."""
    return (
        record.kind == "procedural"
        and record.metadata.get("stage") == STAGE
        and isinstance(record.metadata.get("procedure"), Mapping)
    )


def actions_of(record: Record) -> tuple[str, ...]:
    """The actions of the steps that a record tells; empty for one that tells none."""
    return tuple(step.action for step in _steps(record))


def last_run(record: Record) -> Micros:
    """When the last run ended that a learnt procedure knows of."""
    known = Known.of(record)
    return max([known.through, *(at for at, _ in known.seen.values())])


def new_id(user: str, actions: Sequence[str], known: Iterable[str] = ()) -> str:
    """Of a new procedure: the same for the same steps, unless a procedure that has other steps by now has it."""
    taken = set(known)
    number = 0
    while True:
        parts = ["procedure", user, *actions, *([str(number)] if number else [])]
        found = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
        if found not in taken:
            return found
        number += 1


@dataclass(frozen=True, slots=True)
class Known:
    """What a record remembers of the runs of its procedure."""

    seen: Mapping[str, tuple[int, bool | None]]
    """By `Run.key`: when it ended, and whether it worked."""
    successes: int = 0
    failures: int = 0
    unknown: int = 0
    """Runs that are only counted."""
    through: int = _NEVER
    """The time of the newest one of these."""

    @classmethod
    def of(cls, record: Record | None) -> Known:
        """Nothing, for no record and for one that tells nothing. What cannot be read is passed over: metadata is the
        caller's own, who may write what learning does."""
        told = None if record is None else record.metadata.get("procedure")
        told = told if isinstance(told, Mapping) else {}
        older, seen = told.get("older"), told.get("seen")
        older = older if isinstance(older, Mapping) else {}
        counts = [older.get(name) for name in ("successes", "failures", "unknown")]
        good, bad, unknown = (count if _is_number(count, 0, _MOST) else 0 for count in counts)
        through = older.get("through")
        return cls(
            {run[0]: (run[1], run[2]) for run in seen if _is_run(run)} if isinstance(seen, list) else {},
            good,
            bad,
            unknown,
            through if _is_number(through, MIN_MICROS, MAX_MICROS) else _NEVER,
        )

    def with_runs(self, runs: Iterable[Run]) -> Known:
        """With these runs: those that are new, and those that are known as they look now. Runs of before that are not
        among them, because their turns were evicted, still count."""
        seen = dict(self.seen)
        for run in runs:
            # What is older than what is only counted, and not seen, is among that.
            if run.key in seen or run.at > self.through:
                seen[run.key] = (run.at, run.success)
        newest = sorted(seen.items(), key=lambda item: (item[1][0], item[0]), reverse=True)
        counted = [found for _, found in newest[_SEEN:]]
        return Known(
            dict(reversed(newest[:_SEEN])),
            self.successes + sum(worked is True for _, worked in counted),
            self.failures + sum(worked is False for _, worked in counted),
            self.unknown + sum(worked is None for _, worked in counted),
            max([self.through, *(at for at, _ in counted)]),
        )

    def counts(self) -> tuple[int, int, int]:
        """Successes, failures, and runs in all."""
        states = [worked for _, worked in self.seen.values()]
        good, bad = self.successes + states.count(True), self.failures + states.count(False)
        return good, bad, good + bad + self.unknown + states.count(None)

    def to_dict(self) -> dict[str, Any]:
        """For the metadata of a record."""
        found: dict[str, Any] = {"seen": [[key, at, worked] for key, (at, worked) in self.seen.items()]}
        if self.successes or self.failures or self.unknown:
            found["older"] = {
                "successes": self.successes,
                "failures": self.failures,
                "unknown": self.unknown,
                "through": self.through,
            }
        return found


def _is_run(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    key, at, worked = value
    return (
        isinstance(key, str)
        and _is_number(at, MIN_MICROS, MAX_MICROS)
        and (worked is None or isinstance(worked, bool))
    )


def _is_number(value: Any, least: int, most: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def recorded(user: str, id_: str, learned: Learned, before: Record | None, wording: Wording | None) -> Record:
    """The record of a procedure, without `recorded_at` and embedding.

    Its sources are the turns of its newest runs, as many as a record can name, and the request that it shows:
    forgetting one of them erases it, and the next round learns it again from what is left. With the same steps as
    before, runs that are not there any more still count.

    Args:
        before: what is stored under this id.
    """
    runs = sorted((*learned.runs, *learned.broken), key=lambda run: run.at)
    same = before is not None and actions_of(before) == learned.actions
    known = Known.of(before if same else None).with_runs(runs)
    good, bad, _ = known.counts()
    kept = before.sources if same and before is not None else ()
    asked = learned.asked
    told: dict[str, Any] = {
        "name": learned.name if wording is None else wording.name,
        "steps": [{"action": step.action, "arguments": dict(step.arguments)} for step in learned.steps],
        "preconditions": list(learned.preconditions),
        **({} if asked is None else {"asked": asked.text}),
        "successes": good,
        "failures": bad,
        **known.to_dict(),
        **({} if wording is None else {"wording": wording.to_dict()}),
    }
    fresh = Record(
        id=id_,
        user=user,
        text=written(
            learned.name,
            learned.steps,
            learned.preconditions,
            None if asked is None else asked.text,
            wording,
        ),
        at=from_micros(max([run.at for run in runs] + [at for at, _ in known.seen.values()])),
        kind="procedural",
        # Laplace's rule of succession: the chance that the next run works.
        importance=(good + 1) / (good + bad + 2),
        fidelity=_FIDELITY,
        sources=_sources(learned, runs, wording, kept),
        metadata={"stage": STAGE, "procedure": told},
    )
    if before is None:
        return fresh
    changed = ("text", "at", "importance", "fidelity", "sources", "metadata")
    return replace(before, **{name: getattr(fresh, name) for name in changed})


def _sources(
    learned: Learned, runs: Sequence[Run], wording: Wording | None, kept: Sequence[str]
) -> tuple[str, ...]:
    """First what its words come from, then the newest runs, so that what does not fit is old and shows nowhere."""
    ids: dict[str, None] = {}
    if learned.asked is not None:
        ids[learned.asked.id] = None
    if wording is not None:
        ids.update(dict.fromkeys(wording.sources))
    ids.update(dict.fromkeys(learned.before[: MAX_NAMES // 4]))
    for run in reversed(runs):
        ids.update(dict.fromkeys(run.turns))
    ids.update(dict.fromkeys(kept))
    return tuple(ids)[:MAX_NAMES]


def procedure_of(record: Record) -> Procedure:
    """What callers see of a record of kind `procedural`; one that somebody wrote has no steps."""
    told = record.metadata.get("procedure")
    told = told if isinstance(told, Mapping) else {}
    good, bad, runs = Known.of(record).counts() if is_learnt(record) else (0, 0, 0)
    if not is_learnt(record) and isinstance(told.get("success"), bool):
        good, bad, runs = int(told["success"]), int(not told["success"]), 1
    wording = wording_of(told.get("wording"))
    name = told.get("name") if wording is None else wording.name
    asked = told.get("asked")
    before = told.get("preconditions")
    return Procedure(
        id=record.id,
        name=name if isinstance(name, str) else record.text.strip().split("\n", 1)[0][:80],
        text=record.text,
        steps=_steps(record),
        preconditions=tuple(str(one) for one in before) if isinstance(before, list) else (),
        asked=asked if isinstance(asked, str) else None,
        successes=good,
        failures=bad,
        runs=runs,
        last=record.at,
        sources=record.sources,
        retired=record.retired_at is not None or record.until is not None,
    )


def newest(records: Iterable[Record]) -> list[Record]:
    """The records, the one that was run last first."""
    return sorted(records, key=lambda record: (-to_micros(record.at), record.id))


def _steps(record: Record) -> tuple[ProcedureStep, ...]:
    told = record.metadata.get("procedure")
    given = told.get("steps") if isinstance(told, Mapping) else None
    found = []
    for step in given if isinstance(given, list) else ():
        if isinstance(step, Mapping) and isinstance(step.get("action"), str):
            arguments = step.get("arguments")
            named = arguments.items() if isinstance(arguments, Mapping) else ()
            found.append(ProcedureStep(step["action"], {str(name): str(origin) for name, origin in named}))
    return tuple(found)
