"""Sessions of Codex CLI (`~/.codex/sessions/**/rollout-*.jsonl`): one event a line, with what it is in `payload`.

The user is the caller's; session = the id in `session_meta`; record id = that id and the line's number among the
messages and calls, unless the message has one; `at` = the line's own time. What was said and done stands in the lines
of the type `response_item`; other lines repeat it, or tell of the program. Thoughts are left out, as is what the
program itself wrote as a message of the user.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from ..actions import chat_message, is_note
from .clock import Clock
from .fields import as_name, as_object, each_object, optional, required
from .format import Format, Request, first_object
from .injected import without_injected
from .message import read_message
from .place import Place
from .select import Conversation, read_selected
from .source import Item
from .turns import Turn

__all__ = ["CODEX"]

_LINES: Final = ("compacted", "event_msg", "response_item", "session_meta", "turn_context", "world_state")
_INJECTED: Final = (
    "# AGENTS.md instructions", "<codex_internal_context", "<environment_context>", "<goal_context>", "<hook_prompt",
    "<recommended_plugins>", "<skill>", "<subagent_notification>", "<turn_aborted>", "<user_instructions>",
    "<user_shell_command>",
)  # fmt: skip

_EXIT_CODE: Final = re.compile(r"(?:Exit code:|Process exited with code) (-?\d+)")
_LOOKED_AT: Final = 200
"""Characters of what a tool returned in which its exit code stands, where that is a text."""


def _matches(value: Any) -> bool:
    first = first_object(value)
    return isinstance(first.get("payload"), dict) and first.get("type") in _LINES


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    return read_selected(_conversations(items), request.file, request.user)


def _conversations(items: Iterable[Item]) -> Iterator[Conversation]:
    clock, session, count = Clock(), None, 0
    for place, fields in each_object(items):
        kind = fields.get("type")
        if kind == "session_meta" and session is None:  # a fork brings those of the sessions before it along
            meta = required(fields, "payload", place, as_object)
            session = optional(meta, "id", place["payload"], as_name)
        elif kind == "response_item":
            yield Conversation(
                place, None, partial(_turns, fields, place, session, count, clock), whole=False
            )
            count += 1


def _turns(
    fields: Mapping[str, Any], place: Place, session: str | None, number: int, clock: Clock, user: str
) -> Iterator[Turn]:
    item = required(fields, "payload", place, as_object)
    message = {} if is_note(item) else chat_message(item)
    if "role" not in message:
        return
    said = {
        **message,
        "id": message.get("id") or (None if session is None else number),
        "timestamp": fields.get("timestamp"),
    }
    if said["role"] == "tool" and said.get("is_error") is None:
        said["is_error"] = _failed(item.get("output"))
    if said["role"] == "user":
        said["content"] = without_injected(message.get("content"), _INJECTED)
    turn = read_message(said, place["payload"], user=user, session=session, clock=clock)
    if turn is not None:
        yield turn


def _failed(output: Any) -> bool | None:
    """Whether a command ended with an error, where what it returned tells its exit code."""
    if not isinstance(output, str):
        return None
    code: Any = None
    if output.startswith("{"):
        try:
            metadata = json.loads(output).get("metadata")
        except (ValueError, RecursionError):
            metadata = None
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    elif (match := _EXIT_CODE.search(output[:_LOOKED_AT])) is not None:
        code = int(match[1])
    return None if not isinstance(code, int) else code != 0


CODEX = Format("codex", "sessions of Codex CLI (JSON Lines)", _matches, _read)
