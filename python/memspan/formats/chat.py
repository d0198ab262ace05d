"""OpenAI- and Anthropic-style chats, also of agents that call tools and with `parts` in place of `content`, as Vercel's
AI SDK and Google's interface have them, as one JSON document or as JSON Lines; and the `conversations.json` that
ChatGPT and Claude export.

A file holds conversations, which are objects with `messages`, or messages, alone on their lines or in lists.
A conversation may name its `user`, its `session` (or `id`) and its time `at`; without a name it is a session of its
own all the same. A message outside a conversation may name its `user`. Where ids of messages are numbers, they stand
behind the name of their session ("c2:1"), and what is said stands behind those that only count the messages of a file
without sessions ("1-0f3a..."): other conversations count from 1, too. A conversation without a name whose ids are
numbers goes on where it was stored when it has grown. A message without a time of its own
stands right behind the one before; those before the first that has one precede it by seconds, unless the conversation
has an earlier time, from which they count then. Messages outside a conversation are one with those of their user and
session.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from .alone import with_clocks
from .clock import Clock
from .counted import with_own_ids
from .exported import exported_messages, is_exported
from .fields import as_list, as_name, each_object, optional, required
from .format import Format, Request, first_object
from .message import read_message, start_of
from .place import Place
from .select import Conversation, read_selected
from .sessions import placed_objects
from .source import Item
from .telegram import is_telegram
from .turns import Turn
from .unnamed import names_by_content

__all__ = ["CHAT"]

_SESSIONS = ("session", "id")
_EXPORTED = ("conversation_id", "uuid")


def _matches(value: Any) -> bool:
    first = first_object(value)
    if isinstance(first.get("messages"), list) or is_exported(first):
        return not is_telegram(first)
    return ("content" in first or isinstance(first.get("parts"), list)) and (
        isinstance(first.get("role"), str) or isinstance(first.get("speaker"), str)
    )


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    return read_selected(_conversations(items, request.user), request.file, request.user)


def _conversations(items: Iterable[Item], user: str | None) -> Iterator[Conversation]:
    for (place, fields), clock in with_clocks(with_own_ids(each_object(items)), user):
        named = optional(fields, "user", place, as_name)
        if clock is None:
            yield Conversation(place, named, partial(_turns, fields, place))
        else:
            yield Conversation(place, named, partial(_alone, fields, place, clock), whole=False)


def _turns(fields: Mapping[str, Any], place: Place, user: str) -> Iterator[Turn]:
    exported = is_exported(fields)
    given = (optional(fields, key, place, as_name) for key in (*_SESSIONS, *(_EXPORTED if exported else ())))
    session = next(filter(None, given), None)
    if exported:
        messages = exported_messages(fields, place)
    else:
        messages = placed_objects(required(fields, "messages", place, as_list), place["messages"])
    names: tuple[str, ...] = ()
    if session is None:
        session, names = _name_of(messages)
    clock = Clock(start_of(fields, place, messages))
    for position, message in messages:
        turn = read_message(message, position, user=user, session=session, clock=clock)
        if turn is not None:
            yield replace(turn, session_names=names) if names else turn


def _name_of(messages: Sequence[tuple[Place, Mapping[str, Any]]]) -> tuple[str, tuple[str, ...]]:
    """The session of a conversation without a name, as `Memory.add` has it: the id of its first message, or a new one.
    Where ids are numbers, which other conversations have, too, it follows from all that is said: the same when it is
    read again. These have `session_names`."""
    ids = [message.get("id") for _, message in messages]
    if any(isinstance(one, int) or (isinstance(one, str) and one.isdecimal()) for one in ids):
        with suppress(RecursionError):
            names = names_by_content([message for _, message in messages])
            return names[0], names
    elif ids and isinstance(ids[0], str) and ids[0].strip():
        return ids[0], ()
    return secrets.token_hex(15), ()


def _alone(fields: Mapping[str, Any], place: Place, clock: Clock, user: str) -> Iterator[Turn]:
    turn = read_message(fields, place, user=user, session=None, clock=clock)
    if turn is not None:
        yield turn


CHAT = Format(
    "chat", "OpenAI-style chats (JSON or JSON Lines), exports of ChatGPT and Claude", _matches, _read
)
