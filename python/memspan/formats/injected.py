"""What programs for agents write into their logs as a message of the user, who did not say it."""

from __future__ import annotations

from typing import Any

__all__ = ["without_injected"]


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
    """What is left of a text."""
    rest = text.lstrip()
    while (tag := next((name for name in before if rest.startswith(f"<{name}>")), None)) is not None:
        rest = rest.partition(f"</{tag}>")[2].lstrip()
    if rest.startswith(beginnings):
        return ""
    return text if len(rest) == len(text.lstrip()) else rest
