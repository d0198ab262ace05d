"""Times of day at the end of what is open: "until 5pm yesterday"."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from .calendar import Span, day_span, shifted
from .reading import Reading, Sentence

__all__ = ["read_clocked"]

_DAY = timedelta(days=1)


def read_clocked(
    sentence: Sentence, at: int, read: Callable[[Sentence, int], Reading | None]
) -> Reading | None:
    """A time of day with its day after it, as that minute; without a day it says nothing, but behind "since"."""
    clock = _clock(sentence, at)
    if clock is None:
        return None
    hour, minute, stop = clock
    day = read(sentence, sentence.skip(stop, "on", "in", "of", "the"))
    if day is None and sentence.kind(at - 1) == "since" and sentence.ends_at(stop):
        return _latest(sentence, hour, minute, stop)
    if day is None or day.unit != "day" or day.span.end - day.span.start > _DAY:
        return None
    start = shifted(day_span(day.span.start).start, seconds=3600 * hour + 60 * minute)
    return day._replace(
        span=Span(start, shifted(start, seconds=60)),
        unit="minute",
        partial=None,
        reason=f"{hour}:{minute:02}, {day.reason}",
    )


def _latest(sentence: Sentence, hour: int, minute: int, stop: int) -> Reading:
    """The latest such moment: "what have I done since 9am"."""
    now = sentence.now
    start = shifted(day_span(now).start, seconds=3600 * hour + 60 * minute)
    if start > now:
        start = shifted(start, days=-1)
    return Reading(
        Span(start, shifted(start, seconds=60)), stop, 0.7, f"the latest {hour}:{minute:02}", "minute"
    )


def _clock(sentence: Sentence, at: int) -> tuple[int, int, int] | None:
    """The hour, the minute, and where the words end ("5pm", "17:30", "5 pm")."""
    if sentence.kind(at) == "clock":
        hour, minute = sentence.value(at)
        return hour, minute, at + 1
    half = (
        sentence.tokens[at + 1].word
        if sentence.kind(at) == "number" and at + 1 < len(sentence.tokens)
        else ""
    )
    if half not in ("am", "pm") or not 1 <= sentence.value(at) <= 12:
        return None
    return sentence.value(at) % 12 + (12 if half == "pm" else 0), 0, at + 2
