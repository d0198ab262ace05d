"""Objects whose sessions are the members `session_1`, `session_2`, ..., as LoCoMo and REALTALK have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .fields import as_list, as_object
from .place import Place

__all__ = ["has_session_names", "has_sessions", "numbered_sessions", "placed_objects"]

_SESSION = re.compile(r"session_([0-9]{1,9})")


def has_sessions(value: Any) -> bool:
    """Whether a value is an object with at least one numbered session that is a list."""
    return isinstance(value, dict) and any(
        isinstance(turns, list) and _SESSION.fullmatch(key) for key, turns in value.items()
    )


def has_session_names(holder: Mapping[str, Any]) -> bool:
    """Whether an object has at least one member with the name of a session, whatever it is."""
    return any(map(_SESSION.fullmatch, holder))


def numbered_sessions(
    holder: Mapping[str, Any], place: Place
) -> Iterator[tuple[str, list[tuple[Place, dict[str, Any]]]]]:
    """The name and the turns of every session that has turns, in the order of the sessions' numbers.

    A date without a session is no session.
    """
    keys = [key for key in holder if _SESSION.fullmatch(key)]
    for key in sorted(keys, key=lambda key: int(key.removeprefix("session_"))):
        turns = placed_objects(holder[key], place[key])
        if turns:
            yield key, turns


def placed_objects(value: Any, place: Place) -> list[tuple[Place, dict[str, Any]]]:
    """The elements of a list that must all be objects, each with its place."""
    return [
        (place[position], as_object(element, place[position]))
        for position, element in enumerate(as_list(value, place))
    ]
