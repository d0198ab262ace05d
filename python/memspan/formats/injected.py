"""What programs for agents write into their logs as a message of the user, who did not say it."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["without_injected"]

_SAID: Final = re.compile(r"\S")


def without_injected(content: Any, beginnings: tuple[str, ...], before: tuple[str, ...] = ()) -> Any:
    """The content of a message without the texts in it that begin so; what is no text stays as it is.

    Args:
        before: names of tags that may stand, with what is between them, before what the user said.
    """
    if isinstance(content, list):
        parts = [_part(part, beginnings, before) for part in content]
        return [part for part in parts if part is not None]
    return _said(content, beginnings, before) if isinstance(content, str) else content


def _part(part: Any, beginnings: tuple[str, ...], before: tuple[str, ...]) -> Any:
    text = part.get("text") if isinstance(part, dict) else None
    if not isinstance(text, str):
        return part
    said = _said(text, beginnings, before)
    return part if said == text else {**part, "text": said} if said else None


def _said(text: str, beginnings: tuple[str, ...], before: tuple[str, ...]) -> str:
    """What is left of a text. O(length): rests are not copied, of which there may be thousands."""
    at = first = _said_from(text, 0)
    while (tag := next((name for name in before if text.startswith(f"<{name}>", at)), None)) is not None:
        end = text.find(closing := f"</{tag}>", at)
        at = len(text) if end < 0 else _said_from(text, end + len(closing))
    if text.startswith(beginnings, at):
        return ""
    return text if at == first else text[at:]


def _said_from(text: str, at: int) -> int:
    """Where something other than white space stands."""
    found = _SAID.search(text, at)
    return len(text) if found is None else found.start()
