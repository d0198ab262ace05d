"""LoCoMo in its original layout: samples whose `conversation` holds `session_1`, `session_1_date_time`, ...

User = `sample_id`; record id = `dia_id`; `at` = the session's date plus one second for every turn before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from .clock import Clock
from .dates import clock_on_date
from .fields import as_captions, as_name, as_object, as_text, each_object, optional, required
from .format import Format, Request, first_object, unique
from .place import Place
from .select import Conversation, distinct, read_selected
from .sessions import has_sessions, numbered_sessions
from .source import Item
from .turns import Turn

__all__ = ["LOCOMO"]


def _matches(value: Any) -> bool:
    return has_sessions(first_object(value).get("conversation"))


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    return read_selected(distinct(map(_conversation, each_object(items))), request.file, request.user)


def _conversation(sample: tuple[Place, dict[str, Any]]) -> Conversation:
    place, fields = sample
    conversation = required(fields, "conversation", place, as_object)
    user = required(fields, "sample_id", place, as_name)
    return Conversation(place, user, partial(_turns, conversation, place["conversation"]))


def _turns(conversation: Mapping[str, Any], place: Place, user: str) -> Iterator[Turn]:
    uses: dict[str, int] = {}
    for session, turns in numbered_sessions(conversation, place):
        clock = Clock(required(conversation, f"{session}_date_time", place, clock_on_date))
        for position, fields in turns:
            turn_id = required(fields, "dia_id", position, as_name)
            text = required(fields, "text", position, as_text)
            images = optional(fields, "blip_caption", position, as_captions) or ()
            speaker = required(fields, "speaker", position, as_name)
            at = clock.next()
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


LOCOMO = Format("locomo", "LoCoMo conversations (JSON, original layout)", _matches, _read)
