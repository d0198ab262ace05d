"""Messages, and parts of them, that are objects of some package: what an error tells of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .items import chat_message, is_note

__all__ = ["dumped", "dumped_message"]


def dumped(value: object) -> str:
    """What an error tells of an object that is a part of a message of a model's package as it came."""
    return "; of this object, its `model_dump()`" if hasattr(value, "model_dump") else ""


def dumped_message(message: Any, taken: Callable[[Mapping[str, Any]], bool]) -> str:
    """The same of a whole message: not all packages give theirs the fields of one. `taken` tells of fields, those of an
    item as those of a chat message, whether they would be."""
    told = dumped(message)
    try:
        fields = dict(message) if told else {}
    except (TypeError, ValueError):
        return ""
    if not told or is_note(fields) or taken(chat_message(fields)):
        return told
    return '; of this object, {"role": ..., "content": ...} with what is said'
