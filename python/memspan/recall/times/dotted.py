"""Days in numbers with dots, as most of Europe writes them: "am 24.12.", "bis 3.5.22", "24. 12. 2022"."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.words import word_set

from .partial import Partial
from .reading import Sentence

__all__ = ["dotted_day", "spaced_day"]

_DOTTED: Final = re.compile(r"(\d{1,2})\.(\d{1,2})(?:\.(\d\d))?")
_LEADS: Final = word_set("on from until since to between before after by the and or dash")
"""What makes a day of two numbers, which could be a section or a version."""


def dotted_day(sentence: Sentence, at: int) -> tuple[Partial, int] | None:
    """The day written in a token, if what stands before and after it says that it is one; and where it ends."""
    match = _DOTTED.fullmatch(sentence.tokens[at].word)
    before = sentence.kind(at - 1)
    if match is None or before not in _LEADS or not sentence.lexicon.day_first:
        return None
    stop = at + 1
    year: int | None = None
    if match[3]:
        year = int(match[3]) + (2000 if int(match[3]) < 70 else 1900)
    elif sentence.kind(stop) == "dot":
        stop += 1
        if sentence.kind(stop) == "year":
            year, stop = sentence.value(stop), stop + 1
    elif before != "on":
        return None  # "von 3.5 auf 4.2"
    return Partial(year, int(match[2]), int(match[1])), stop


def spaced_day(sentence: Sentence, at: int) -> tuple[Partial, int] | None:
    """The day that begins with a number and a dot: "24. 12. 2022"."""
    kinds = [sentence.kind(at + step) for step in range(5)]
    if kinds != ["number", "dot", "number", "dot", "year"] or not sentence.lexicon.day_first:
        return None
    return Partial(sentence.value(at + 4), sentence.value(at + 2), sentence.value(at)), at + 5
