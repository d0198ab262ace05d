"""The night between two days: "in der Nacht von Freitag auf Samstag", "la nuit du 3 au 4 mai", "in der Nacht auf
Samstag"."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from memspan.recall.words import word_set

from .calendar import shifted
from .reading import Reading, Sentence
from .turns import part_of_day

__all__ = ["read_night_between"]

_NIGHT: Final = 3
_LEADS: Final = frozenset(["of", "from", "between"])
_TO: Final = word_set("to and auf zum zu op à au e et para na")
_ONTO: Final = word_set("auf zum zu")
"""Behind the night they name the day that it ends in."""


def read_night_between(
    sentence: Sentence, at: int, read: Callable[[Sentence, int], Reading | None]
) -> Reading | None:
    """From the evening of the one to the morning of the other; `None` where the second is not the day after the first.
    It goes by the second, which alone may have a month, a year or a week beside it."""
    if sentence.kind(at) != "part" or sentence.value(at) != _NIGHT:
        return None
    lead_at = at + 1
    if sentence.kind(lead_at) in _LEADS:
        first_at = sentence.skip(lead_at + 1, "the")
        joint_at = _past_day(sentence, first_at, read)
    elif sentence.lexicon.language == "de" and _word(sentence, lead_at) in _ONTO:
        first_at, joint_at = 0, lead_at
    else:
        return None
    if _word(sentence, joint_at) not in _TO:
        return None
    second = read(sentence, sentence.skip(joint_at + 1, "the"))
    if second is None or second.unit != "day" or shifted(second.span.start, days=1) != second.span.end:
        return None
    before = shifted(second.span.start, days=-1)
    if before == second.span.start or (first_at and not _is_day(sentence, first_at, before, read)):
        return None
    return second._replace(
        span=part_of_day(before, _NIGHT),
        reason=f"the night before {second.reason}",
        needs_preposition=False,
        partial=None,
    )


def _word(sentence: Sentence, at: int) -> str:
    return sentence.tokens[at].word if 0 < at < len(sentence.tokens) else ""


def _past_day(sentence: Sentence, at: int, read: Callable[[Sentence, int], Reading | None]) -> int:
    """Behind the first day, 0 if there is none; a number may have its month behind the second."""
    found = read(sentence, at)
    if found is not None:
        return found.stop
    if sentence.kind(at) != "number":
        return 0
    return at + 1 + (sentence.kind(at + 1) == "dot")


def _is_day(
    sentence: Sentence, at: int, day: datetime, read: Callable[[Sentence, int], Reading | None]
) -> bool:
    """Whether what is said there may be that day."""
    kind, value = sentence.kind(at), sentence.value(at)
    if kind == "weekday":
        return bool(value == day.weekday())
    found = read(sentence, at)
    if found is None or (kind == "number" and found.partial is not None and found.partial.month is None):
        return bool(value == day.day)
    start = found.span.start
    return found.unit == "day" and (start.month, start.day) == (day.month, day.day)
