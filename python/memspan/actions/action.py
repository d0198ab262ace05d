"""`Action` and `Outcome`: a tool call and what came of it, as values and as metadata of a turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

__all__ = ["MAX_ACTION_CHARS", "Action", "Outcome", "Scalar", "actions_in", "metadata_of", "outcomes_in"]

Scalar: TypeAlias = str | int | float | bool

MAX_ACTION_CHARS: Final = 128
"""Longest name of a tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One call of a tool."""

    action: str
    """The tool's name; 1-128 characters."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """The shape of the arguments: a type for each, nested ones as `filter.price`; see `shape_of`."""
    values: Mapping[str, Scalar] = field(default_factory=dict)
    """Those of the arguments that are short and no secrets, by the same names."""
    call: str | None = None
    """The call's id, which its outcome names."""
    success: bool | None = None
    """Whether it worked, where the turn that called says so itself; `None`: see its `Outcome`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a call, in the turn that holds its result."""

    success: bool
    call: str | None = None
    """The id of the call; `None`: of the oldest call before it without an outcome."""
    action: str | None = None
    """The tool's name, where the result says it."""


def metadata_of(actions: Iterable[Action], outcomes: Iterable[Outcome]) -> dict[str, Any]:
    """What goes into the metadata of a turn: `actions` and `outcomes`, each a list of objects; neither when empty."""
    found: dict[str, Any] = {}
    calls = [_known(action, ("arguments", "values", "call", "success")) for action in actions]
    results = [_known(outcome, ("call", "action")) | {"success": outcome.success} for outcome in outcomes]
    if calls:
        found["actions"] = calls
    if results:
        found["outcomes"] = results
    return found


def actions_in(metadata: Mapping[str, Any]) -> tuple[Action, ...]:
    """The actions of a turn, in order. Callers may write them by hand: `{"actions": [{"action": "deploy", "success":
    true}]}`. What is no action is passed over, since metadata is the caller's own."""
    found = []
    for entry in _objects(metadata.get("actions")):
        name = entry.get("action")
        if isinstance(name, str) and name.strip():
            found.append(
                Action(
                    action=name.strip()[:MAX_ACTION_CHARS],
                    arguments=_of_type(entry.get("arguments"), str),
                    values=_of_type(entry.get("values"), (str, int, float, bool)),
                    call=_text(entry.get("call")),
                    success=_flag(entry.get("success")),
                )
            )
    return tuple(found)


def outcomes_in(metadata: Mapping[str, Any]) -> tuple[Outcome, ...]:
    """The outcomes of a turn, in order; what is no outcome is passed over."""
    found = []
    for entry in _objects(metadata.get("outcomes")):
        success = _flag(entry.get("success"))
        if success is not None:
            found.append(
                Outcome(success=success, call=_text(entry.get("call")), action=_text(entry.get("action")))
            )
    return tuple(found)


def _known(value: Action | Outcome, names: Sequence[str]) -> dict[str, Any]:
    """The name of the action, if any, and those fields that say something."""
    found: dict[str, Any] = {} if value.action is None else {"action": value.action}
    for name in names:
        given = getattr(value, name)
        if given is not None and given != {}:
            found[name] = dict(given) if isinstance(given, Mapping) else given
    return found


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _of_type(value: Any, types: type | tuple[type, ...]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        return {}
    return {name: item for name, item in value.items() if isinstance(name, str) and isinstance(item, types)}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
