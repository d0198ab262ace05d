"""One's own day, week or weekend, which has no word for which one it is: "How was my week?", "recap my day"."""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

from .calendar import Span, Unit, day_span, moved, unit_span
from .reading import Reading, Sentence
from .years import POSSESSIVES, QUALIFIED

__all__ = ["read_own"]

_SPEND: Final = word_set("spend enjoy")
_OVER: Final = word_set("was were been spent enjoyed") | _SPEND
_CLAUSE: Final = 6
"""Tokens before it among which "did" makes a past of "spend"."""
_NOW: Final = word_set("is looking")
_TOLD: Final = word_set("recap summarize summarise review")
_SUMMARY: Final = word_set("summary recap overview review")
_UNITS: Final = ("day", "week", "weekend", "month", "year")


def read_own(sentence: Sentence, at: int) -> Reading | None:
    """The unit at a token that somebody's or "the" stands before: the weekend that was, and today; of what is over the
    last seven days, month or year, of what is still on the running one."""
    unit: Unit = sentence.value(at)
    token = sentence.tokens[at]
    if at < 2 or unit not in _UNITS or token.possessive or token.word in sentence.lexicon.many:
        return None
    owner = sentence.tokens[at - 1].word
    if owner not in POSSESSIVES and not (owner == "the" and unit == "weekend"):
        return None
    before = sentence.tokens[at - 2].word
    running = before in _NOW
    if before in _SPEND and not any(
        token.word == "did" for token in sentence.tokens[max(0, at - _CLAUSE) : at - 2]
    ):
        return None  # "a nice way to spend your day"
    told = before in _TOLD or (before == "of" and at > 2 and sentence.tokens[at - 3].word in _SUMMARY)
    if not (running or told or before in _OVER):
        return None
    if not sentence.ends_at(at + 1) or (
        sentence.kind(at + 1) == "word" and sentence.tokens[at + 1].word == "at"
    ):
        return None
    now = sentence.now
    if unit == "weekend":
        span = unit_span("weekend", now)
        if not running and span.start > now:
            span = unit_span("weekend", now, -1)
    elif unit == "day" or running:
        span = unit_span(unit, now)
    else:
        span = Span(day_span(moved(now, unit, -1)).start, now)
    return Reading(span, at + 1, QUALIFIED, f"one's own {unit}", unit)
