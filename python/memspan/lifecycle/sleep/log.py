"""What an update in sleep decided about each memory, and why, without a word of any memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

__all__ = ["OUTCOMES", "Outcome", "SleepDecision", "fingerprint", "log_of", "read_log"]

Outcome: TypeAlias = Literal[
    "kept", "merged", "updated", "retired", "refused", "overtaken", "skipped", "undecided"
]
OUTCOMES: Final = get_args(Outcome)

_MOST: Final = 2_000
"""Decisions that are kept of one run; changes are kept before memories that stay as they are."""
_DONE: Final[Mapping[str, Outcome]] = {
    "keep": "kept",
    "merge": "merged",
    "update": "updated",
    "retire": "retired",
}
_UNDONE: Final[Mapping[str, Outcome]] = {
    "refused": "refused",
    "overtaken": "overtaken",
    "skipped": "skipped",
    "no decision": "undecided",
}


class SleepDecision(NamedTuple):
    """What became of one memory that a model was asked about."""

    memory: str | None
    """Its id; `None` when it was forgotten since."""
    outcome: Outcome
    """`kept`: as it is. `merged`, `updated`, `retired`: it ended. `refused`: what the model wanted makes no sense or
    would lose something, see `reason`. `overtaken`: another decision of the run had ended a memory that it rests on.
    `skipped`: a memory was changed or forgotten meanwhile. `undecided`: the model gave no answer."""
    action: str | None
    """What the model wanted: `keep`, `merge`, `update` or `retire`; `None` for something else, or nothing."""
    later: tuple[str | None, ...]
    """Ids of the later memories that it rests on."""
    reason: str | None


def fingerprint(id_: str) -> str:
    """Of a record's id: tells nothing of one that is forgotten."""
    return hashlib.sha256(id_.encode()).hexdigest()[:16]


def log_of(notes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The decisions of a run as JSON values, from what `decide` and `SleepUpdate.run` noted.

    Memories are named by fingerprints, reasons are words of ours, and what a model wrote is left out, so that nothing
    of a memory stays here when it is forgotten.
    """
    found: dict[str, dict[str, Any]] = {}
    for note in notes:
        event, memory = note["event"], note.get("memory")
        if not isinstance(memory, str):
            continue
        if event == "decided":
            action = note["action"]
            found[memory] = {
                "outcome": _DONE[action],
                "action": action,
                "later": [fingerprint(id_) for id_ in note["later"]],
            }
        elif event in _UNDONE:
            entry = found.setdefault(memory, {"later": []})
            entry["outcome"] = _UNDONE[event]
            wanted = note.get("action")
            entry["action"] = wanted if wanted in _DONE else None
            if event == "refused":
                entry["reason"] = note["reason"]
    entries = [{"memory": fingerprint(memory), **entry} for memory, entry in found.items()]
    entries.sort(key=lambda entry: entry["outcome"] == "kept")
    return {"decisions": entries[:_MOST], "left_out": max(0, len(entries) - _MOST)}


def read_log(log: Mapping[str, Any], ids: Iterable[str]) -> list[SleepDecision]:
    """The decisions with ids again.

    Args:
        log: as `log_of` made it.
        ids: of the user's records.
    """
    known = {fingerprint(id_): id_ for id_ in ids}
    decisions: Sequence[Mapping[str, Any]] = log.get("decisions", ())
    return [
        SleepDecision(
            memory=known.get(entry["memory"]),
            outcome=entry["outcome"],
            action=entry.get("action"),
            later=tuple(known.get(one) for one in entry.get("later", ())),
            reason=entry.get("reason"),
        )
        for entry in decisions
    ]
