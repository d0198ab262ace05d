"""Names that a question leaves out: "who came besides Ana?", "what did anyone other than Ana say"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .names import FoundName

__all__ = ["without_left_out"]

_BEFORE: Final = re.compile(
    r"(?:^|\W)(?:except(?: for)?|besides|other than|apart from|aside from|excluding|instead of|rather than|"
    r"(?:any|every|no)(?:one|body) but|außer|abgesehen von|statt|sauf|excepté|à part|salvo|excepto|aparte de|"
    r"tranne|eccetto|a parte|exceto|além d[eao]|behalve|oprócz|poza|кроме) (?:the |my |our |mein\w* |ma |mon |mi )?$",
    re.IGNORECASE,
)
_AND: Final = r",? (?:and|or|und|oder|et|ou|y|e|o|en|of|i|lub|и|или) "
_JOINT: Final = re.compile(_AND, re.IGNORECASE)
_COMMA: Final = re.compile(rf", (?=\w+{_AND})", re.IGNORECASE)
"""As in "Ana, Ben and Mira", but not in "instead of Ana, Ben came"."""
_LONGEST: Final = 40


def without_left_out(text: str, names: Sequence[FoundName]) -> list[FoundName]:
    """The names but those that stand behind a word that leaves them out, and nowhere else. O(names)."""
    kept: list[FoundName] = []
    last = -1
    for name in sorted(names, key=lambda each: each.span):
        start, end = name.span
        listed = last >= 0 and any(
            (joint := pattern.match(text, last)) is not None and joint.end() == start
            for pattern in (_JOINT, _COMMA)
        )
        if (listed or _BEFORE.search(text[max(0, start - _LONGEST) : start])) and text.count(name.text) == 1:
            last = end
        else:
            kept.append(name)
    return [name for name in names if name in kept]
