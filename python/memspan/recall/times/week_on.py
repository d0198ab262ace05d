"""Days counted in weeks from another: "a week today", "Friday week", "a week last Tuesday", "lundi en huit",
"vrijdag over een week"."""

from __future__ import annotations

from typing import Final

from .amounts import Amount, read_amount
from .calendar import Span, day_span, moved, shifted, unit_span
from .reading import Reading, Sentence
from .turns import weekday_near

__all__ = ["read_week_on"]

_AHEAD: Final = (0, 1)
"""Days from now that weeks are counted on from: today and tomorrow."""
_COUNTED_IN: Final = {8: 7, 15: 14}
"""Days in a week and in two, as French counts them, with both ends."""
_LOOKED_BACK: Final = 6
"""Tokens before it among which "been" makes it lie back: "it has been a week today"."""


def read_week_on(sentence: Sentence, at: int) -> Reading | None:
    """The day itself; the weekday from which weeks are counted is the next one."""
    if sentence.lexicon.language == "fr":
        return _days_after(sentence, at)
    if sentence.lexicon.language == "nl":
        return _in_weeks(sentence, at)
    if sentence.lexicon.language != "en":
        return None
    found = _week_after(sentence, at) or _in_weeks(sentence, at)
    if found is not None:
        return found
    amount = read_amount(sentence, at)
    if amount is None or amount.unit not in ("week", "fortnight") or amount.low != amount.high:
        return None
    day_at = amount.stop
    count = amount.low
    if sentence.kind(day_at) == "last" and sentence.kind(day_at + 1) == "weekday":
        return _back_from(sentence, amount, day_at + 1)
    if sentence.kind(day_at) == "on" and sentence.kind(day_at + 1) == "weekday":
        day_at += 1
    elif sentence.kind(day_at) != "offset":
        return None
    elif any(token.word == "been" for token in sentence.tokens[max(0, at - _LOOKED_BACK) : at]):
        count = -count
    day = _day(sentence, day_at)
    if day is None or not sentence.closes(day_at + 1):
        return None
    when = day_span(moved(day.start, amount.unit, count))
    return Reading(when, day_at + 1, 0.7, f"{count:+} {amount.unit} from that day", "day")


def _back_from(sentence: Sentence, amount: Amount, at: int) -> Reading | None:
    """As in "a week last Tuesday"."""
    if sentence.value(at - 1) or not sentence.closes(at + 1):
        return None
    day = weekday_near(sentence.now, sentence.value(at), -1)
    when = day_span(moved(day.start, amount.unit, -amount.low))
    return Reading(when, at + 1, 0.7, f"{-amount.low:+} {amount.unit} from that day", "day")


def _week_after(sentence: Sentence, at: int) -> Reading | None:
    """As in "Friday week", "tomorrow week"."""
    if (
        sentence.kind(at + 1) != "unit"
        or sentence.tokens[at + 1].word != "week"
        or not sentence.closes(at + 2)
    ):
        return None
    before = sentence.tokens[at - 1] if at else None
    if before is not None and (
        before.kind in ("last", "this", "next", "the", "a", "every") or before.capital
    ):
        return None  # "Black Friday week"
    day = _day(sentence, at)
    return (
        None
        if day is None
        else Reading(day_span(shifted(day.start, days=7)), at + 2, 0.7, "a week from that day", "day")
    )


def _in_weeks(sentence: Sentence, at: int) -> Reading | None:
    """As in "Monday in two weeks", "maandag over twee weken": of the week that is so far off."""
    if (sentence.kind(at), sentence.kind(at + 1)) not in (("weekday", "in"), ("weekday", "ahead")):
        return None
    token = sentence.tokens[at]
    if token.possessive or token.word.endswith("days"):
        return None
    amount = read_amount(sentence, at + 2)
    if (
        amount is None
        or amount.unit != "week"
        or amount.low != amount.high
        or not sentence.closes(amount.stop)
    ):
        return None
    week = unit_span("week", moved(sentence.now, "week", amount.low))
    day = day_span(shifted(week.start, days=sentence.value(at)))
    return Reading(day, amount.stop, 0.7, f"of the week {amount.low} weeks ahead", "day")


def _days_after(sentence: Sentence, at: int) -> Reading | None:
    """As in "lundi en huit"."""
    if (sentence.kind(at + 1), sentence.kind(at + 2)) != ("in", "number") or not sentence.ends_at(at + 3):
        return None
    days = _COUNTED_IN.get(sentence.value(at + 2))
    day = None if days is None else _day(sentence, at)
    if days is None or day is None or sentence.tokens[at + 1].word != "en":
        return None
    return Reading(day_span(shifted(day.start, days=days)), at + 3, 0.7, f"{days} days from that day", "day")


def _day(sentence: Sentence, at: int) -> Span | None:
    token = sentence.tokens[at]
    if (
        token.kind == "weekday"
        and not token.short
        and not token.possessive
        and not token.word.endswith("days")
    ):
        return weekday_near(sentence.now, token.value, 1)
    if token.kind == "offset" and token.value in _AHEAD:
        return day_span(shifted(sentence.now, days=token.value))
    return None
