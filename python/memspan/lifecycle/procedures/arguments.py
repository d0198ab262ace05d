"""What the arguments of a procedure's steps have in common over its runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from memspan.actions.action import Scalar
from memspan.reports.procedure_info import ProcedureStep

from .runs import Run

__all__ = ["steps_of"]

_USUAL: Final = 0.5
"""An argument is one of the step's when so many of the runs have it."""
_SHORTEST: Final = 2
"""Characters of a value that are looked for in texts; shorter ones are found everywhere."""


def steps_of(runs: Sequence[Run], least: int) -> tuple[ProcedureStep, ...]:
    """The steps of a procedure with their arguments made general.

    An argument that had one value in all runs, `least` or more, is that value. One whose values were different, and
    always those of an argument of an earlier step, stood in the result of one, or in what was asked, comes from
    there. All others are told by their type. Runs in which the value is not known (it was long, or a secret) say
    nothing, but two must. O(runs x steps^2 x arguments^2).

    Args:
        runs: complete ones, one at least.
    """
    return tuple(
        ProcedureStep(runs[0].events[place].action, dict(_arguments(runs, place, least)))
        for place in range(len(runs[0].events))
    )


def _arguments(runs: Sequence[Run], place: int, least: int) -> Iterator[tuple[str, str]]:
    shapes = [run.events[place].arguments for run in runs]
    usual = Counter(name for shape in shapes for name in shape)
    for name, times in usual.items():
        if times >= _USUAL * len(runs):
            types = Counter(shape[name] for shape in shapes if name in shape)
            yield name, _origin(runs, place, name, least) or types.most_common(1)[0][0]


def _origin(runs: Sequence[Run], place: int, name: str, least: int) -> str | None:
    known = [run for run in runs if name in run.events[place].values]
    values = [run.events[place].values[name] for run in known]
    different = len(set(map(_as_text, values)))
    if different == 1 and len(values) >= least:
        return f"= {json.dumps(values[0], ensure_ascii=False)}"
    if different < 2:
        return None
    for earlier in range(place):
        for other in _names(known, earlier):
            if all(
                _same(run.events[earlier].values.get(other), value)
                for run, value in zip(known, values, strict=True)
            ):
                return f"{other} of step {earlier + 1}"
    if all(
        run.asked is not None and _stands_in(value, run.asked.text)
        for run, value in zip(known, values, strict=True)
    ):
        return "as asked"
    for earlier in range(place):
        if all(
            _stands_in(value, run.events[earlier].results) for run, value in zip(known, values, strict=True)
        ):
            return f"result of step {earlier + 1}"
    return None


def _names(runs: Sequence[Run], place: int) -> list[str]:
    return list(dict.fromkeys(name for run in runs for name in run.events[place].values))


def _same(one: Scalar | None, other: Scalar) -> bool:
    return one is not None and not isinstance(one, bool) and _as_text(one) == _as_text(other)


def _stands_in(value: Scalar, text: str) -> bool:
    written = _as_text(value)
    return len(written) >= _SHORTEST and not isinstance(value, bool) and written.casefold() in text.casefold()


def _as_text(value: Scalar) -> str:
    return value if isinstance(value, str) else json.dumps(value)
