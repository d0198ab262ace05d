"""Read tool calls and results from messages, in the shapes of OpenAI's and Anthropic's interfaces."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memspan.base.half_emoji import without_half_emoji

from .action import MAX_ACTION_CHARS, Action, Outcome, metadata_of
from .shape import call_text, shape_of, values_of
from .success import succeeded

__all__ = ["TOOL_KEYS", "ToolUse", "holds_media", "holds_thoughts", "is_thought", "read_tool_use"]

TOOL_KEYS: Final = ("tool_calls", "function_call", "tool_call_id", "is_error")
"""Fields of a message that are about tools."""
THOUGHT_KEYS: Final = ("reasoning", "reasoning_content", "reasoning_details", "refusal")
"""Fields in which packages and servers write what a model thought, and why it gives no answer."""
_THOUGHT_PARTS: Final = ("thinking", "redacted_thinking", "reasoning", "refusal")
_MEDIA_PARTS: Final = (
    "audio", "audio_url", "image", "image_url", "input_audio", "input_image", "input_video", "video", "video_url",
)  # fmt: skip
"""Not files and documents: those may hold text."""

_MOST: Final = 64
"""Calls of one message that are kept as actions."""
_CALL_CHARS: Final = 128
_RESULT_ROLES: Final = ("tool", "function")


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What a message says about tools."""

    calls: str = ""
    """Its calls as text, one a line."""
    results: str = ""
    """The texts of the results among its content parts; a message of the role `tool` is one itself."""
    actions: tuple[Action, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.actions or self.outcomes)

    @property
    def metadata(self) -> dict[str, Any]:
        """For the metadata of the turn; empty without calls and results."""
        return metadata_of(self.actions, self.outcomes)

    def speaker(self, role: str | None, text: str) -> str | None:
        """Who says a message of that role with that text of its own: Anthropic's interface sends the results of
        tools as messages of the user, who did not say them."""
        only_results = bool(self.outcomes) and not self.actions and not text.strip()
        return "tool" if only_results and role == "user" else role

    def around(self, text: str) -> str:
        """The text of the turn: results come before what is said about them, calls after it."""
        if not self.results and not self.calls:
            return text if text.strip() else ""
        return "\n".join(part for part in (self.results, text, self.calls) if part.strip())


_NOTHING: Final = ToolUse()


def holds_thoughts(message: Mapping[str, Any]) -> bool:
    """Whether a chat message has fields or content parts in which a model thinks, or refuses."""
    content = message.get("content")
    parts = content if isinstance(content, list) else ()
    return any(message.get(key) for key in THOUGHT_KEYS) or any(map(is_thought, parts))


def holds_media(message: Mapping[str, Any]) -> bool:
    """Whether a chat message has content parts that are pictures, sound or film, at which nobody looks."""
    content = message.get("content")
    parts = content if isinstance(content, list) else ()
    return any(isinstance(part, Mapping) and _type(part) in _MEDIA_PARTS for part in parts)


def is_thought(part: Any) -> bool:
    """Whether a content part is one in which a model thinks, or refuses: some packages give it a `text` (Vercel's by
    the type `reasoning`, Google's by `thought`)."""
    return isinstance(part, Mapping) and (_type(part) in _THOUGHT_PARTS or part.get("thought") is True)


def read_tool_use(message: Mapping[str, Any]) -> ToolUse:
    """The calls and results of a chat message, in their order.

    OpenAI: `tool_calls` or `function_call`, and messages of the role `tool` or `function`. Anthropic: content parts of
    the types `tool_use` and `tool_result`. What has no tool's name, or is not in these shapes, is passed over: the logs
    of agents are not to be refused for it. Never raises. O(size of the message).
    """
    content = message.get("content")
    if not (isinstance(content, list) or message.get("role") in _RESULT_ROLES or _calls_tools(message)):
        return _NOTHING
    found = list(_calls(message, content))
    actions = tuple(action for action, _ in found[:_MOST])
    outcomes, results = _results(message, content)
    if not actions and not outcomes:
        return _NOTHING
    return ToolUse("\n".join(text for _, text in found), "\n".join(results), actions, tuple(outcomes[:_MOST]))


def _calls_tools(message: Mapping[str, Any]) -> bool:
    return bool(message.get("tool_calls") or message.get("function_call"))


def _calls(message: Mapping[str, Any], content: Any) -> Iterator[tuple[Action, str]]:
    parts = content if isinstance(content, list) else []
    given = message.get("tool_calls")
    single = message.get("function_call")
    for entry in (
        *(part for part in parts if _type(part).endswith("tool_use")),
        *(given if isinstance(given, list) else ()),
        *((single,) if single else ()),
    ):
        if not isinstance(entry, Mapping):
            continue
        inner = entry.get("function", entry.get("custom", entry))
        if not isinstance(inner, Mapping):
            continue
        name = inner.get("name")
        if isinstance(name, str) and name.strip():
            name = without_half_emoji(name.strip())[:MAX_ACTION_CHARS]
            arguments = _arguments(inner)
            action = Action(
                action=name,
                arguments=shape_of(arguments),
                values=values_of(arguments),
                call=_id(entry.get("id")),
                success=_flag(entry.get("success")),
            )
            said = entry.get("said")
            result = f"\n{without_half_emoji(said)}" if isinstance(said, str) and said.strip() else ""
            yield action, call_text(name, arguments) + result


def _arguments(call: Mapping[str, Any]) -> Any:
    """The arguments as an object if they are one, also where it is written as JSON text."""
    given = next((call[key] for key in ("arguments", "input", "args") if call.get(key) is not None), None)
    if isinstance(given, str):
        try:
            read = json.loads(given)
        except (ValueError, RecursionError):
            return given
        return read if isinstance(read, (Mapping, list)) else given
    return given


def _results(message: Mapping[str, Any], content: Any) -> tuple[list[Outcome], list[str]]:
    outcomes: list[Outcome] = []
    texts: list[str] = []
    for part in content if isinstance(content, list) else ():
        if _type(part).endswith("tool_result"):
            text = _text_of(part.get("content"))
            texts.append(text)
            worked = succeeded(text, part.get("is_error"))
            outcomes.append(Outcome(success=worked, call=_id(part.get("tool_use_id"))))
    if message.get("role") in _RESULT_ROLES and not outcomes:
        text = _text_of(content if content is not None else message.get("text"))
        name = message.get("name") if message.get("role") == "function" else None
        outcomes.append(
            Outcome(
                success=succeeded(text, message.get("is_error")),
                call=_id(message.get("tool_call_id")),
                action=without_half_emoji(name)[:MAX_ACTION_CHARS]
                if isinstance(name, str) and name
                else None,
            )
        )
    return outcomes, [text for text in texts if text.strip()]


def _text_of(content: Any) -> str:
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        content = "\n".join(part for part in parts if isinstance(part, str))
    if isinstance(content, Mapping):
        content = json.dumps(content, ensure_ascii=False, default=str)
    return without_half_emoji(content) if isinstance(content, str) else ""


def _type(part: Any) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else None
    return kind if isinstance(kind, str) else ""


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _id(value: Any) -> str | None:
    return without_half_emoji(value)[:_CALL_CHARS] if isinstance(value, str) and value else None
