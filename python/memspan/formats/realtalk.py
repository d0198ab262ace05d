"""REALTALK: one chat a file, with `session_1`, `session_2`, ... at the top and a time for every message.

User = the file's name without its suffix; record id = `dia_id`; `at` = the message's own time (day before
month).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from .clock import Clock
from .dates import day_dot_month
from .fields import as_captions, as_name, as_text, each_object, optional, required
from .format import Format, Request, first_object, unique
from .place import Place
from .select import Conversation, one_chat, read_selected
from .sessions import has_session_names, has_sessions, numbered_sessions
from .source import Item
from .turns import Turn

__all__ = ["REALTALK"]


def _matches(value: Any) -> bool:
    return has_sessions(first_object(value))


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    conversations = (
        Conversation(place, request.name, partial(_turns, chat, place))
        for place, chat in one_chat(each_object(items))
    )
    return read_selected(conversations, request.file, request.user)


def _turns(chat: Mapping[str, Any], place: Place, user: str) -> Iterator[Turn]:
    if not has_session_names(chat):
        raise place.error(
            chat, "a chat of REALTALK, an object with 'session_1', 'session_2', ... and a list in each"
        )
    uses: dict[str, int] = {}
    for session, turns in numbered_sessions(chat, place):
        clock = Clock()
        for position, fields in turns:
            turn_id = required(fields, "dia_id", position, as_name)
            text = required(fields, "clean_text", position, as_text)
            images = optional(fields, "blip_caption", position, as_captions) or ()
            speaker = required(fields, "speaker", position, as_name)
            at = clock.stamp(required(fields, "date_time", position, day_dot_month))
            if text or images:
                yield Turn(
                    user=user,
                    id=unique(turn_id, uses),
                    text=text,
                    speaker=speaker,
                    at=at,
                    session=session,
                    images=images,
                    metadata={"turn_id": turn_id},
                    position=str(position),
                )


REALTALK = Format("realtalk", "REALTALK chats (JSON, one chat a file)", _matches, _read)
