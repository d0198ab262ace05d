"""From what a label says to records and sessions that exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..fields import as_list, as_string
from ..place import Place
from ..turns import Turn

__all__ = ["Evidence", "dialogue_ids", "numbers_below", "resolve"]

_DIALOGUE_ID = re.compile(r"D([0-9]{1,9})\s*:\s*([0-9]{1,9})")
_DEPTH = 32


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the labels of one question come to."""

    records: frozenset[str]
    sessions: frozenset[str]
    """Those of the records."""
    missing: tuple[str, ...]
    """Labels that name no record, in their order, each once."""


def resolve(names: Iterable[str], turns: Mapping[str, Turn]) -> Evidence:
    """The records of these ids that exist among a user's `turns`."""
    named = list(dict.fromkeys(names))
    found = [name for name in named if name in turns]
    return Evidence(
        frozenset(found),
        frozenset(session for name in found if (session := turns[name].session) is not None),
        tuple(name for name in named if name not in turns),
    )


def dialogue_ids(value: Any, place: Place) -> list[str]:
    """The ids in the `evidence` of LoCoMo and REALTALK, a list of strings.

    Written by hand, they hold several ids in one string ("D8:6; D9:17"), zeros ("D30:05") and mistakes. Every
    `D<number>:<number>` counts, without leading zeros; of a range ("D14:8-D14:13") only the ends are named. A
    string that holds no id at all comes back as it is, and will name nothing.
    """
    ids: list[str] = []
    for number, element in enumerate(as_list(value, place)):
        label = as_string(element, place[number])
        found = [f"D{int(session)}:{int(turn)}" for session, turn in _DIALOGUE_ID.findall(label)]
        ids += found or [label]
    return ids


def numbers_below(value: Any, place: Place) -> list[str]:
    """All integers anywhere in a list or object, nested or not, as text: BEAM's `source_chat_ids`."""
    return [str(number) for number in _numbers(value, place, _DEPTH)]


def _numbers(value: Any, place: Place, depth: int) -> Iterable[int]:
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64:
        yield value
    elif isinstance(value, (list, dict)) and depth > 0:
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for step, member in members:
            yield from _numbers(member, place[step], depth - 1)
    else:
        raise place.error(value, f"ids of turns: integers, in lists or objects nested at most {_DEPTH} deep")
