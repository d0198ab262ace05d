"""HaluMem: one user a line, with dated sessions of dialogue.

User = `uuid`; record id = `session_N:i` (session from 1, turn from 0), as the set numbers only pairs of
turns; `at` = the turn's own time. Memory points and questions are labels, not conversation, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from .clock import Clock
from .dates import month_comma_day
from .fields import as_list, as_name, as_text, each_object, required
from .format import Format, Request, first_object
from .place import Place
from .select import Conversation, distinct, read_selected
from .sessions import placed_objects
from .source import Item
from .turns import Turn

__all__ = ["HALUMEM"]


_USER = "a user of HaluMem, an object with 'uuid' and the list 'sessions'"


def _matches(value: Any) -> bool:
    user = first_object(value)
    return "uuid" in user and isinstance(user.get("sessions"), list)


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    return read_selected(distinct(map(_conversation, each_object(items))), request.file, request.user)


def _conversation(item: tuple[Place, dict[str, Any]]) -> Conversation:
    place, fields = item
    return Conversation(
        place, required(fields, "uuid", place, as_name, _USER), partial(_turns, fields, place)
    )


def _turns(fields: Mapping[str, Any], place: Place, user: str) -> Iterator[Turn]:
    sessions = placed_objects(required(fields, "sessions", place, as_list, _USER), place["sessions"])
    for number, (session_place, session) in enumerate(sessions, 1):
        name = f"session_{number}"
        clock = Clock()
        dialogue = placed_objects(
            required(session, "dialogue", session_place, as_list), session_place["dialogue"]
        )
        for index, (position, message) in enumerate(dialogue):
            turn_id = f"{name}:{index}"
            text = required(message, "content", position, as_text)
            speaker = required(message, "role", position, as_name)
            at = clock.stamp(required(message, "timestamp", position, month_comma_day))
            if text:
                yield Turn(
                    user=user,
                    id=turn_id,
                    text=text,
                    speaker=speaker,
                    at=at,
                    session=name,
                    metadata={"turn_id": turn_id},
                    position=str(position),
                )


HALUMEM = Format("halumem", "HaluMem users (JSON Lines)", _matches, _read)
