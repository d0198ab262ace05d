"""Half emoji in texts: lone surrogates, which broken exports contain and UTF-8 cannot hold."""

from __future__ import annotations

__all__ = ["JoinedHalves", "without_half_emoji"]


def without_half_emoji(text: str) -> str:
    """The text with U+FFFD in place of each half; two halves that stand together become whole."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class JoinedHalves:
    """A text that comes in pieces, without half emoji: a first half at the end of a piece waits for the next one."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        """What is there with this piece; may be empty."""
        text = self._half + piece
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return without_half_emoji(text.removesuffix(self._half))

    def end(self) -> str:
        """What waited, when nothing more comes."""
        return without_half_emoji(self._half)
