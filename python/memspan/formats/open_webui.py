"""Chats as Open WebUI exports them: a list of objects with a `chat` in each, whose messages are a tree.

User = `user_id`, or the caller's where all chats are of one user: an administrator exports those of everybody;
session = the chat's id; record id = the message's; `at` = its own time. A message without a role is one of the model's,
of which its server wrote some fields alone. Of messages that were put or answered several
times, the branch counts that was open last. What a model thought stands in its message, and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from .clock import Clock
from .exported import branch
from .fields import as_name, as_object, each_object, optional, required
from .format import Format, Request, first_object
from .message import read_message, start_of
from .place import Place
from .select import Conversation, read_selected
from .source import Item
from .turns import Turn

__all__ = ["OPEN_WEBUI"]

_CHAT: Final = "a chat of Open WebUI, an object with 'chat' and in it 'history'"
_THOUGHT: Final = re.compile(r'<details type="reasoning".*?(?:</details>|\Z)', re.DOTALL)


def _matches(value: Any) -> bool:
    chat = first_object(value).get("chat")
    history = chat.get("history") if isinstance(chat, dict) else None
    return isinstance(history, dict) and isinstance(history.get("messages"), dict)


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    chats = list(each_object(items))  # one document, which is in memory as a whole
    owners = {optional(chat, "user_id", place, as_name) for place, chat in chats}
    named = request.user is None or len(owners) > 1
    conversations = (
        Conversation(
            place,
            optional(chat, "user_id", place, as_name) if named else None,
            partial(_turns, chat, place),
        )
        for place, chat in chats
    )
    return read_selected(conversations, request.file, request.user)


def _turns(fields: Mapping[str, Any], place: Place, user: str) -> Iterator[Turn]:
    chat = required(fields, "chat", place, as_object, _CHAT)
    history = required(chat, "history", place["chat"], as_object, _CHAT)
    where = place["chat"]["history"]
    messages = required(history, "messages", where, as_object, _CHAT)
    session = optional(fields, "id", place, as_name)
    path = branch(messages, where["messages"], history.get("currentId"), "parentId")
    said = [(position, _said(message)) for position, message in path][::-1]
    clock = Clock(start_of(fields, place, said))
    for position, message in said:
        turn = read_message(message, position, user=user, session=session, clock=clock)
        if turn is not None:
            yield turn


def _said(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    return {
        "id": message.get("id"),
        "role": message.get("role") or "assistant",
        "content": _THOUGHT.sub("", content) if isinstance(content, str) else content,
        "timestamp": message.get("timestamp"),
    }


OPEN_WEBUI = Format("open-webui", "chats that Open WebUI exports (JSON)", _matches, _read)
