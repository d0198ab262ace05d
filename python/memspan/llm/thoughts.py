"""What models think before they answer, where their server does not keep it apart: left out of the answer."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["Thoughts", "without_thoughts"]

_TAGS: Final = ("<think>", "<thinking>", "<thought>", "[think]", "<seed:think>")
"""Those of EXAONE and Gemini are "thought", those of Magistral in square brackets."""
_END: Final = re.compile(r"</(?:think(?:ing)?|thought|seed:think)>|\[/think\]", re.IGNORECASE)
_LONGEST: Final = len("</seed:think>")
"""Of their tags."""


def without_thoughts(text: str) -> str:
    """What follows the thoughts; some servers leave out the tag that opens them. JSON that speaks of the tag is left
    alone."""
    end = _END.search(text)
    opened = text[:_LONGEST].lower().startswith(_TAGS)
    if end is None or (text.startswith(("{", "[", "```")) and not opened):
        return text
    return text[end.end() :].lstrip()


class Thoughts:
    """Leaves them out of an answer as it comes, where the tag that opens them is there, and white space before it.
    O(length)."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False
        self._over = False

    def feed(self, piece: str) -> str:
        """What of the answer is there with this piece; may be empty."""
        if self._over:
            return piece
        self._held = (self._held + piece).lstrip()
        if not self._inside:
            start = self._held[:_LONGEST].lower()
            tag = next(filter(start.startswith, _TAGS), None)
            if tag is None:
                return "" if any(tag.startswith(start) for tag in _TAGS) else self._answer(self._held)
            self._inside, self._held = True, self._held[len(tag) :]
        end = _END.search(self._held)
        if end is None:
            self._held = self._held[-_LONGEST:]
            return ""
        rest = self._held[end.end() :].lstrip()
        self._held = end[0]  # white space behind it is no answer yet
        return self._answer(rest) if rest else ""

    def end(self) -> str:
        """What was held back, when nothing more comes."""
        return "" if self._inside or self._over else self._answer(self._held)

    def _answer(self, text: str) -> str:
        self._over, self._held = True, ""
        return text
