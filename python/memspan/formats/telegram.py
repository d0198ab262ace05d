"""Chats as Telegram Desktop exports them (`result.json`): one chat, or all of an account with its `chats`.

The user is the caller's; session = the chat's id and the day, as a chat goes on for years; record id = the chat's id
and the message's; `at` = `date_unixtime`, or else `date`, which is local time and read as UTC. The chat's name goes
into `metadata`. Only texts are kept, also those below pictures; what the service says ("joined the group") is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from functools import partial
from typing import Any, Final

from .clock import Clock
from .fields import as_list, as_name, as_object, as_text, as_time, each_object, optional, required
from .format import Format, Request, first_object
from .place import Place
from .select import Conversation, read_selected
from .sessions import placed_objects
from .source import Item
from .turns import Turn

__all__ = ["TELEGRAM", "is_telegram"]

_CHATS: Final = frozenset(
    {
        "bot_chat", "personal_chat", "private_channel", "private_group", "private_supergroup", "public_channel",
        "public_supergroup", "replies", "saved_messages",
    }
)  # fmt: skip
_LISTS: Final = ("chats", "left_chats")
_LAST_SECOND: Final = 253_402_300_799


def is_telegram(value: Any) -> bool:
    """Whether a value is an export of Telegram's, of one chat or of an account."""
    first = first_object(value)
    if isinstance(first.get("messages"), list) and isinstance(first.get("id"), int):
        return isinstance(first.get("type"), str) and first["type"] in _CHATS
    return any(_holds_list(first.get(key)) for key in _LISTS)


def _holds_list(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("list"), list)


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    return read_selected(_conversations(items), request.file, request.user)


def _conversations(items: Iterable[Item]) -> Iterator[Conversation]:
    for place, fields in each_object(items):
        if not any(key in fields for key in _LISTS):
            yield Conversation(place, None, partial(_turns, fields, place))
            continue
        for key in _LISTS:
            chats = optional(fields, key, place, as_object) or {}
            for position, chat in placed_objects(chats.get("list") or [], place[key]["list"]):
                yield Conversation(position, None, partial(_turns, chat, position))


def _turns(chat: Mapping[str, Any], place: Place, user: str) -> Iterator[Turn]:
    messages = placed_objects(required(chat, "messages", place, as_list), place["messages"])
    number = required(chat, "id", place, as_name)
    name = optional(chat, "name", place, as_text)
    clock = Clock()
    for position, message in messages:
        if message.get("type") != "message":
            continue
        text = as_text(_joined(message.get("text"), position["text"]), position["text"])
        at = clock.stamp(_time(message, position))
        if text:
            turn_id = f"{number}:{required(message, 'id', position, as_name)}"
            yield Turn(
                user=user,
                id=as_name(turn_id, position["id"]),
                text=text,
                speaker=_speaker(message, position),
                at=at,
                session=as_name(f"{number}:{at:%Y-%m-%d}", place["id"]),
                metadata={"chat": name} if name else {},
                position=str(position),
            )


def _speaker(message: Mapping[str, Any], place: Place) -> str | None:
    """The name, or of an account that is deleted its number."""
    named = optional(message, "from", place, as_text)
    if named:
        return as_name(named, place["from"])
    return optional(message, "from_id", place, as_name)


def _joined(text: Any, place: Place) -> Any:
    """A text that has links or bold words in it is a list of its parts, of which some are objects."""
    if not isinstance(text, list):
        return "" if text is None else text
    parts: list[str] = []
    for position, part in enumerate(text):
        said = part.get("text") if isinstance(part, dict) else part
        if not isinstance(said, str):
            raise place[position].error(part, "a string, or an object with the string 'text'")
        parts.append(said)
    return "".join(parts)


def _time(message: Mapping[str, Any], place: Place) -> datetime:
    seconds = message.get("date_unixtime")
    if seconds is None:
        return required(message, "date", place, as_time)
    if isinstance(seconds, str) and seconds.isascii() and seconds.isdecimal() and len(seconds) <= 12:
        seconds = int(seconds)
        if seconds <= _LAST_SECOND:
            return datetime.fromtimestamp(seconds, timezone.utc)
    raise place["date_unixtime"].error(
        message["date_unixtime"], "the digits of a number of seconds since 1970"
    )


TELEGRAM = Format("telegram", "chats that Telegram Desktop exports (JSON)", is_telegram, _read)
