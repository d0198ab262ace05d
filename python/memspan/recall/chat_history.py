"""What was said right before a question, as prompts show it (H in SimpleMem 2.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from memspan.errors import invalid

__all__ = ["MOST_MESSAGES", "ChatHistory", "checked_history"]

ChatHistory: TypeAlias = Sequence[str | Mapping[str, Any]]
"""Messages, oldest first: a text, or a mapping with `text` or `content` and optionally `speaker`, `name` or `role`."""

MOST_MESSAGES: Final = 10
"""The last so many count; the paper gives no number."""
_LONGEST: Final = 600
"""Characters of a message; its end is what a question refers to."""
_SPEAKERS: Final = ("speaker", "name", "role")
_TEXTS: Final = ("text", "content")


def checked_history(history: Any) -> tuple[dict[str, str], ...]:
    """The last messages as lines of a prompt's data; blank ones are left out.

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
        raise invalid(place, message, "a text, or a mapping with 'text' or 'content'")
    text = next((message[name] for name in _TEXTS if message.get(name) is not None), None)
    if not isinstance(text, str):
        raise invalid(place, text, "'text' or 'content' with a text")
    speaker = next((message[name] for name in _SPEAKERS if message.get(name) is not None), "")
    if not isinstance(speaker, str):
        raise invalid(place, speaker, "a speaker's name")
    return {**({"speaker": speaker[:_LONGEST]} if speaker else {}), "text": _end_of(text)}


def _end_of(text: str) -> str:
    return text.replace("\0", " ").strip()[-_LONGEST:]
