"""Half emoji in texts: lone surrogates, which broken exports contain and UTF-8 cannot hold."""

from __future__ import annotations

__all__ = ["without_half_emoji"]


def without_half_emoji(text: str) -> str:
    """The text with U+FFFD in place of each half; two halves that stand together become whole."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
