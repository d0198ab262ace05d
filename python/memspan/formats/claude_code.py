"""Sessions of Claude Code (`~/.claude/projects/*/*.jsonl`): one event a line, of which some are messages.

The user is the caller's; session = `sessionId`; record id = the line's `uuid`; `at` = its own time. Turns that were
taken back by a rewind stay. What a subagent and its model said to each other (`isSidechain`) is left out, as are
thoughts, what the program itself wrote as a message of the user, and summaries that it made of the conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from .clock import Clock
from .fields import as_name, as_object, each_object, optional, required
from .format import Format, Request, first_object
from .injected import without_injected
from .message import read_message
from .place import Place
from .select import Conversation, read_selected
from .source import Item
from .turns import Turn

__all__ = ["CLAUDE_CODE"]

_SAID: Final = ("user", "assistant")
_NOT_SAID: Final = (
    "isApiErrorMessage", "isCompactSummary", "isMeta", "isSidechain", "isVisibleInTranscriptOnly"
)  # fmt: skip
_INJECTED: Final = (
    "<bash-input>", "<bash-stderr>", "<bash-stdout>", "<command-args>", "<command-message>", "<command-name>",
    "<local-command-", "<task-notification>", "[Request interrupted by user",
)  # fmt: skip
_BEFORE: Final = ("ide_opened_file", "ide_selection", "system-reminder")
_FIRST_LINES: Final = {"summary": "leafUuid", "file-history-snapshot": "snapshot"}
"""The types of lines that name no session, with a field that they have."""


def _matches(value: Any) -> bool:
    first = first_object(value)
    kind = first.get("type")
    if not isinstance(kind, str) or "role" in first or "messages" in first:
        return False
    if kind in _SAID and not isinstance(first.get("message"), dict):
        return False
    return isinstance(first.get("sessionId"), str) or _FIRST_LINES.get(kind) in first


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    return read_selected(_conversations(items), request.file, request.user)


def _conversations(items: Iterable[Item]) -> Iterator[Conversation]:
    clocks: dict[str | None, Clock] = {}
    for place, fields in each_object(items):
        if fields.get("type") in _SAID and not any(fields.get(mark) for mark in _NOT_SAID):
            yield Conversation(place, None, partial(_turns, fields, place, clocks), whole=False)


def _turns(
    fields: Mapping[str, Any], place: Place, clocks: dict[str | None, Clock], user: str
) -> Iterator[Turn]:
    session = optional(fields, "sessionId", place, as_name)
    message = required(fields, "message", place, as_object)
    said = {
        "id": fields.get("uuid"),
        "role": message.get("role", fields["type"]),
        "content": without_injected(message.get("content"), _INJECTED, _BEFORE),
        "timestamp": fields.get("timestamp"),
    }
    clock = clocks.setdefault(session, Clock())
    turn = read_message(said, place, user=user, session=session, clock=clock)
    if turn is not None:
        yield turn


CLAUDE_CODE = Format("claude-code", "sessions of Claude Code (JSON Lines)", _matches, _read)
