"""What programs for agents write into their logs as a message of the user, who did not say it."""

from __future__ import annotations

from typing import Any

__all__ = ["without_injected"]


def without_injected(content: Any, beginnings: tuple[str, ...]) -> Any:
    """The content of a message without the texts in it that begin so; what is no text stays as it is."""
    if isinstance(content, list):
        return [part for part in content if not _begins(_text(part), beginnings)]
    return "" if _begins(content, beginnings) else content


def _text(part: Any) -> Any:
    return part.get("text") if isinstance(part, dict) else None


def _begins(text: Any, beginnings: tuple[str, ...]) -> bool:
    return isinstance(text, str) and text.lstrip().startswith(beginnings)
