"""BEAM: one chat a file, as batches of groups of turns; the 100K and 500K chats have the same layout.

User = the folder's name, behind that of the chat size (`100K-1` for `100K/1/chat.json`), because the sizes
number their chats alike; record id = the turn's `id`; session = the batch; `at` = the batch's time anchor
plus one second for every turn since.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from .clock import Clock
from .dates import month_dash_day
from .fields import as_list, as_name, as_text, is_name, optional, required
from .format import Format, Request, first_object, unique
from .place import Place
from .select import Conversation, one_chat, read_selected
from .sessions import placed_objects
from .source import Item
from .turns import Turn

__all__ = ["BEAM", "chat_of_any_folder"]

# The data's own numbering of its plan, left at the end of messages: "->-> 1,12", "->-> 2,N/A".
_PLAN_MARK = "->->"
_PLAN_STEP = re.compile(r"\s*[0-9]+\s*,\s*(?:[0-9]+|N/A)\S{0,2}")
_SIZE = re.compile(r"[0-9]+[KM]")


def _matches(value: Any) -> bool:
    batch = first_object(value)
    return "batch_number" in batch and isinstance(batch.get("turns"), list)


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    user = _chat_name(request)
    conversations = (
        Conversation(place, user, partial(_turns, chat, place)) for place, chat in one_chat(items)
    )
    return read_selected(conversations, request.file, request.user)


def chat_of_any_folder(path: Path) -> str | None:
    """The user of a chat whose folder has no number as BEAM's have: the folder's name, where that can be a user. Only
    for those who measure: a conversation to be remembered does not go to whatever folder it was put into."""
    folder = path.absolute().parent.name
    return folder if path.stem == "chat" and not folder.isdecimal() and is_name(folder) else None


def _chat_name(request: Request) -> str | None:
    if request.path is None or request.name != "chat":
        return request.name
    folder = request.path.absolute().parent
    if not folder.name.isdecimal():
        return None
    return f"{folder.parent.name}-{folder.name}" if _SIZE.fullmatch(folder.parent.name) else folder.name


def _turns(chat: Any, place: Place, user: str) -> Iterator[Turn]:
    uses: dict[str, int] = {}
    clock = Clock()
    for batch_place, batch in placed_objects(chat, place):
        session = f"batch_{required(batch, 'batch_number', batch_place, as_name)}"
        anchor = optional(batch, "time_anchor", batch_place, month_dash_day)
        if anchor is not None:
            clock = Clock(anchor)
        for position, fields in _messages(batch, batch_place):
            turn_id = required(fields, "id", position, as_name)
            text = _without_plan_mark(required(fields, "content", position, as_text))
            speaker = required(fields, "role", position, as_name)
            anchor = optional(fields, "time_anchor", position, month_dash_day)
            if anchor is not None:
                clock = Clock(anchor)
            at = clock.next()
            if text:
                yield Turn(
                    user=user,
                    id=unique(turn_id, uses),
                    text=text,
                    speaker=speaker,
                    at=at,
                    session=session,
                    metadata={"turn_id": turn_id},
                    position=str(position),
                )


def _messages(batch: Mapping[str, Any], place: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    for number, group in enumerate(required(batch, "turns", place, as_list)):
        yield from placed_objects(group, place["turns"][number])


def _without_plan_mark(text: str) -> str:
    message, _, step = text.rpartition(_PLAN_MARK)
    return message.rstrip() if _PLAN_STEP.fullmatch(step) else text


BEAM = Format("beam", "BEAM chats (JSON, chat.json of one chat)", _matches, _read)
