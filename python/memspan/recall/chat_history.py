"""What was said right before a question, as prompts show it (H in SimpleMem 2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from memspan.actions import chat_message, dumped, dumped_message, is_note, is_thought
from memspan.errors import invalid

__all__ = ["MOST_MESSAGES", "ChatHistory", "checked_history"]

ChatHistory: TypeAlias = Sequence[str | Mapping[str, Any]]
"""Messages, oldest first: a text, or a mapping with `text` or `content` (a text or content parts) and optionally
`speaker`, `name` or `role`. What calls tools and says nothing is passed over."""

MOST_MESSAGES: Final = 10
"""The last so many count; the paper gives no number."""
_LONGEST: Final = 600
"""Characters of a message; its end is what a question refers to."""
_SPEAKERS: Final = ("speaker", "name", "role")
_TEXTS: Final = ("text", "content")
_CALLS: Final = ("tool_calls", "function_call")


def checked_history(history: Any) -> tuple[dict[str, str], ...]:
    """The last messages as lines of a prompt's data; those without text are left out.

    Raises:
        InvalidArgumentError: names the message.
    """
    if isinstance(history, (str, bytes, Mapping)) or not isinstance(history, Sequence):
        raise invalid("history", history, "a sequence of messages, oldest first")
    lines = [_line(message, f"history[{position}]") for position, message in enumerate(history)]
    return tuple(line for line in lines if line["text"])[-MOST_MESSAGES:]


def _line(message: Any, place: str) -> dict[str, str]:
    if isinstance(message, str):
        return {"text": _end_of(message)}
    if not isinstance(message, Mapping):
        accepted = "a text, or a mapping with 'text' or 'content'"
        raise invalid(place, message, accepted + dumped_message(message, _tells_who))
    if is_note(message):
        return {"text": ""}
    message = chat_message(message)
    if not any(name in message for name in (*_TEXTS, *_CALLS)):
        raise invalid(place, message, "a text, or a mapping with 'text' or 'content'")
    text = _text_of(next((message[name] for name in _TEXTS if message.get(name) is not None), ""), place)
    speaker = next((message[name] for name in _SPEAKERS if message.get(name) is not None), "")
    if not isinstance(speaker, str):
        raise invalid(place, speaker, "a speaker's name")
    return {**({"speaker": speaker[:_LONGEST]} if speaker else {}), "text": _end_of(text)}


def _tells_who(message: Mapping[str, Any]) -> bool:
    """Whether fields are those of a message whose speaker would be known."""
    said = any(name in message for name in (*_TEXTS, *_CALLS))
    return said and any(message.get(name) is not None for name in _SPEAKERS)


def _text_of(content: Any, place: str) -> str:
    """The texts of a message's content; nothing where it only calls tools, or shows pictures."""
    parts = [content] if isinstance(content, str) else content
    if not isinstance(parts, list):
        raise invalid(place, content, "'text' or 'content' with a text or a list of content parts")
    for part in parts:
        if not isinstance(part, (str, Mapping)):
            raise invalid(place, part, "content parts that are texts or mappings" + dumped(part))
    said = (part for part in parts if not is_thought(part))
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in said]
    return "\n".join(text for text in texts if isinstance(text, str))


def _end_of(text: str) -> str:
    return text.replace("\0", " ").strip()[-_LONGEST:]
