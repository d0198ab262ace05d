"""Sentences that look ahead: what recurs is the next one there, and not the latest ("What is due on Friday?")."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from memspan.recall.words import word_set

from .calendar import moved, unit_span
from .ranges import Related
from .reading import Sentence
from .relations import read_related

__all__ = ["ahead_from", "read_next"]

_AHEAD: Final = word_set("will shall gonna due upcoming deadline deadlines plans agenda schedule")
_BEFORE_TO: Final = word_set("going need needs have has supposed plan plans planning")
_OPEN: Final = word_set("free busy available")
_NOW: Final = word_set("am is are i'm we're you're he's she's they're")
_NEAR: Final = 3
"""Words before "free" among which what makes it one's time stands: "is Ana free on Friday"."""
_LOOKING_BACK: Final = word_set("know remember recall thank mention")
"""Behind "to", what is done about the past: "what do I need to remember from Friday?"."""
_PAST: Final = word_set(
    "did didn't was wasn't were weren't had hadn't been ago last yesterday saw went got came met said told bought made "
    "took found left heard ate gave felt"
)
_BE: Final = word_set("be is are get gets")
_SHORT: Final = 4
_BOUNDED: Final = ("in", "until")
_MOMENT: Final = timedelta(microseconds=1)


def ahead_from(sentence: Sentence) -> list[bool]:
    """For each token, whether its sentence is about what is to come, and nothing in it about the past; all false in
    other languages than English. O(words)."""
    flags: list[bool] = []
    if sentence.lexicon.language != "en":
        return [False] * len(sentence.tokens)
    words: list[str] = []
    for token in sentence.tokens:
        words.append(token.word)
        if token.kind == "dot" or token.word in "?!;":
            flags += [_looks_ahead(words)] * len(words)
            words = []
    return flags + [_looks_ahead(words)] * len(words)


def _looks_ahead(words: Sequence[str]) -> bool:
    if not _PAST.isdisjoint(words):
        return False
    before = ""
    found = False
    for place, word in enumerate(words):
        if word.endswith("ed") and len(word) > _SHORT and before not in _BE:
            return False  # "I visited Ana"
        after = words[place + 1] if place + 1 < len(words) else ""
        found = found or (
            word in _AHEAD
            or word.endswith("'ll")
            or (before in _BEFORE_TO and word == "to" and after not in _LOOKING_BACK)
            or (before == "coming" and word == "up")
            or (word in _OPEN and not _NOW.isdisjoint(words[max(0, place - _NEAR) : place]))
        )
        before = word
    return found


def read_next(sentence: Sentence, at: int, found: Related) -> Related:
    """The same expression, as the first of its kind that is not over."""
    reading = found.reading
    if reading.recurs is None or found.relation not in _BOUNDED or reading.span.end > sentence.now:
        return found
    if sentence.kind(found.first - 1) == "from":
        return found  # "the plans from May"
    start = unit_span(reading.unit, sentence.now).start
    later = read_related(sentence.as_of(moved(start, reading.recurs, 1) - _MOMENT), at)
    if later is None or later.reading.stop != reading.stop or later.reading.span.end <= sentence.now:
        return found
    return later._replace(reading=later.reading._replace(reason=reading.reason.replace("latest", "next")))
