"""Why a search found what it did: how it was planned and run, then how each hit came to be found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, Final

from rich.table import Table

from memspan.recall import Plan
from memspan.remember.searching.recall import Recalls

from .tables import cell, plain_table

__all__ = ["explanation_json", "explanation_table"]

_SAID_ELSEWHERE: Final = ("question", "k", "reasons")
"""Fields of a plan that have no row of the usual form."""

_USUAL: Final = Plan(question="-").to_dict()


def explanation_json(recalls: Recalls) -> dict[str, Any]:
    """Of the search as a whole; every hit has its own."""
    plan = {} if recalls.plan is None else {"plan": recalls.plan.to_dict()}
    return {**plan, **(recalls.explanation or {})}


def explanation_table(recalls: Recalls) -> Table:
    """A row for each thing that there is to say."""
    table = plain_table("Why")
    table.add_column("hit", justify="right")
    table.add_column("what")
    table.add_column("value", ratio=1, overflow="fold")
    rows = [("plan", name, value) for name, value in _of_plan(recalls.plan)]
    explanation = dict(recalls.explanation or {})
    k = explanation.pop("k", None)
    if k is not None:
        planned = "" if recalls.plan is None else f" (the plan wants {recalls.plan.k})"
        rows.append(("all", "k", f"{k}{planned}"))
    rows += [("all", name, value) for name, value in explanation.items()]
    for rank, recall in enumerate(recalls, 1):
        rows += [(f"#{rank}", name, value) for name, value in (recall.explanation or {}).items() if value]
    for hit, name, value in rows:
        table.add_row(cell(hit), cell(name), cell(_plain(value)))
    return table


def _plain(value: Any) -> str:
    """A value of an explanation without the signs of Python."""
    if isinstance(value, Mapping):
        named = ((name, one, isinstance(one, Mapping)) for name, one in value.items())
        value = [
            f"{name} ({_plain(one)})" if nested else f"{name} {_plain(one)}" for name, one, nested in named
        ]
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_plain, value)) or "-"
    if value is None or isinstance(value, bool):
        return {None: "-", True: "yes", False: "no"}[value]
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _of_plan(plan: Plan | None) -> Iterator[tuple[str, str]]:
    """What a plan says beyond its question: fields that are not as in any plan, then a reason a line."""
    if plan is None:
        return
    values = plan.to_dict()
    unsaid = {**_USUAL, "semantic": plan.question, "lexical": plan.question, "kind": None}
    for name in (field.name for field in fields(Plan)):
        if name not in _SAID_ELSEWHERE and values[name] != unsaid[name]:
            yield name, _shown(name, values[name], unsaid[name])
    if plan.reasons:
        yield "reasons", "\n".join(f"- {reason}" for reason in plan.reasons)


def _shown(name: str, value: Any, usual: Any) -> str:
    if name == "intervals":
        return "\n".join(f"{start or '..'} to {end or '..'}" for start, end in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one:g}" for key, one in value.items() if one != usual[key])
    return _plain(value)
