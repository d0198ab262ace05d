"""`TextReply`: an answer in plain text as it comes, and the line of sources at its end."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["Ending", "TextReply"]

_MARK: Final = re.compile(r"(?<=\s)[*_#>-]{0,4} ?Sources?[*_]{0,4}:")
# What may become the mark, with the white space before it, which is not to stand at the end of an answer.
_MAY_BE: Final = re.compile(
    r"\s*(?:(?<=\s)[*_#>-]{0,4} ?(?:S|So|Sou|Sour|Sourc|Source|Sources)?[*_]{0,4})?\Z"
)
_NUMBER: Final = re.compile(r"\d{1,9}")
_NONE: Final = re.compile(r"\W*none\b", re.IGNORECASE)
_LOOKED_BACK: Final = 64
_LONGEST_LINE: Final = 10_000


class Ending(NamedTuple):
    """What is known when a reply is complete."""

    rest: str
    """Text that was held back and belongs to the answer."""
    numbers: tuple[int, ...]
    """Of the sources."""
    none: bool
    """The model says that there is no source, and so no answer."""


class TextReply:
    """Hands out an answer piece by piece and keeps the line `Sources: 4, 7` for the end.

    White space and what may be the beginning of that line is held back until it is known what it is. O(length).
    """

    def __init__(self) -> None:
        self._held = ""
        self._line: str | None = None
        self._begun = False
        self._spaced = True

    def feed(self, piece: str) -> str:
        """What of the answer is certain now; may be empty."""
        if self._line is not None:
            self._line = (self._line + piece)[:_LONGEST_LINE]
            return ""
        self._held += piece
        text = ("\n" if self._spaced else "x") + self._held  # the mark stands after white space
        mark = _MARK.search(text)
        if mark is not None:
            at = mark.start() - 1
            kept, self._line, self._held = self._held[:at].rstrip(), self._held[at:], ""
            return self._out(kept)
        found = _MAY_BE.search(text, max(1, len(text) - _LOOKED_BACK))
        assert found is not None  # nothing, at the end, is a match
        kept = self._held[: found.start() - 1].rstrip()
        self._held = self._held[len(kept) :]
        return self._out(kept)

    def end(self) -> Ending:
        """The rest, when nothing more comes."""
        line, self._line = self._line, None
        if line is None:
            return Ending(self._out(self._held.rstrip()), (), False)
        first = line.split("\n", 1)[0]
        numbers = tuple(int(digits) for digits in _NUMBER.findall(first.split(":", 1)[1]))
        none = not numbers and _NONE.match(first.split(":", 1)[1]) is not None
        if numbers or none:
            return Ending("", numbers, none)
        return Ending(self._out(("\n" if self._begun else "") + line.rstrip()), (), False)

    def _out(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip()
        if text:
            self._begun = True
            self._spaced = text[-1].isspace()
        return text
