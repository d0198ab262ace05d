"""Weeks by their number in the year, as ISO 8601 counts them: "calendar week 12", "KW 12", "week 12 of 2022"."""

from __future__ import annotations

from datetime import date
from typing import Final

from .calendar import Span, day_span
from .reading import Reading, Sentence
from .years import read_year

__all__ = ["read_week", "read_week_behind"]

_MOST: Final = 53


def read_week(sentence: Sentence, at: int, *, of_a_year: bool = False) -> Reading | None:
    """The week whose number stands here: of the year after it, or else, unless it needs one, the latest that has begun.

    "Week 12" alone may be that of a course.
    """
    return _numbered(sentence, at, at + 1, of_a_year=of_a_year)


def read_week_behind(sentence: Sentence, at: int) -> Reading | None:
    """The same where the number stands first: "22. KW", "zweiundzwanzigste Kalenderwoche 2023"."""
    word_at = at + 1 + (sentence.kind(at + 1) == "dot")
    ordinal = word_at > at + 1 or sentence.tokens[at].ordinal
    if not ordinal or sentence.kind(word_at) != "isoweek" or sentence.kind(word_at + 1) == "number":
        return None  # "on the 3. 2023-W19"
    return _numbered(sentence, at, word_at + 1)


def _numbered(sentence: Sentence, at: int, stop: int, *, of_a_year: bool = False) -> Reading | None:
    """The week whose number stands at one token, and the year of it at another."""
    if sentence.kind(at) != "number" or not 1 <= sentence.value(at) <= _MOST:
        return None
    number: int = sentence.value(at)
    year, stop = read_year(sentence, stop)
    if year is not None:
        span = _week(year, number)
        return None if span is None else Reading(span, stop, 1.0, "a week of a year", "week")
    if of_a_year:
        return None
    for earlier in (sentence.now.year, sentence.now.year - 1):
        span = _week(earlier, number)
        if span is not None and span.start <= sentence.now:
            return Reading(span, stop, 0.8, "the latest week of that number", "week", recurs="year")
    return None


def _week(year: int, number: int) -> Span | None:
    try:
        return day_span(date.fromisocalendar(year, number, 1), 7)
    except ValueError:
        return None
