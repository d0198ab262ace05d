"""Times that a model gives to what it read, checked against what the turns themselves say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from memspan.errors import TimeError
from memspan.recall.times import find_times
from memspan.recall.times.calendar import day_span, month_span, year_span
from memspan.times import Interval, Micros, from_micros, to_micros

from .clean import clean_text
from .values import Turn

__all__ = ["EventTime", "check_time"]

_DAY: Final = 86_400_000_000
_MOST_BEFORE: Final = 150 * 366 * _DAY
_MOST_AFTER: Final = 50 * 366 * _DAY
"""Nobody tells of what was earlier as remembered, or plans what is later."""

_LEEWAY: Final = 7 * _DAY
""""Last Friday" is one of two days, weeks begin on Sunday for some, and nobody knows the speakers' time zone."""

_CERTAIN: Final = 0.8
_WRITTEN: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_LIKE_ISO: Final = re.compile(r"[\d\s:.,TZWQ/+-]*", re.IGNORECASE)


class EventTime(NamedTuple):
    """When something happened, as far as can be told."""

    at: datetime
    """UTC; the model's time, or the turn's where the model's is missing or impossible."""
    flag: str | None = None
    """`unconfirmed`: no turn names such a time, but it may be so. Impossible: `unreadable`; `implausible`, further away
    than people talk of; `contradicted`, by the times that the turns name."""
    given: str = ""
    """What the model wrote, where it is flagged."""

    @property
    def impossible(self) -> bool:
        """Whether the model's time was put aside."""
        return self.flag is not None and self.flag != "unconfirmed"


def check_time(given: str, sources: Sequence[Turn], around: Sequence[Turn]) -> EventTime:
    """The time of a statement that comes from turns.

    A time within a week of when it was said, or near one that a turn names, is believed; of an interval, its start.
    Our own parser reads the turns, see `find_times`. O(characters of the turns) for a time that lies further off,
    else O(1).

    Args:
        given: ISO 8601, or whatever the model wrote; empty for none.
        sources: the turns that say it, at least one, in order.
        around: the turns that the model saw.
    """
    said = max(turn.at for turn in sources)
    given = clean_text(given)[:200]
    if not given:
        return EventTime(said)
    span = _interval(given, said)
    if span is None:
        return EventTime(said, "unreadable", given)
    start, end = span
    now = to_micros(said)
    if start < now - _MOST_BEFORE or start > now + _MOST_AFTER:
        return EventTime(said, "implausible", given)
    at = from_micros(start)
    if any(start - _LEEWAY <= to_micros(turn.at) < end + _LEEWAY for turn in sources):
        return EventTime(at)
    named = [spoken for turn in sources for spoken in _named(turn)]
    if any(_near(start, end, spoken) for spoken, _ in named):
        return EventTime(at)
    if any(_near(start, end, spoken) for turn in around for spoken, _ in _named(turn)):
        return EventTime(at)
    if named and all(certain for _, certain in named):
        return EventTime(said, "contradicted", given)
    return EventTime(at, "unconfirmed", given)


def _interval(given: str, said: datetime) -> tuple[Micros, Micros] | None:
    """The interval that is written, half-open; `None` when it cannot be read."""
    first = given.split("/")[0].strip()
    try:
        if parts := _WRITTEN.fullmatch(first):
            year, month, day = (int(part) if part else None for part in parts.groups())
            return _calendar(year or 0, month, day)
        moment = to_micros(first)
        return moment, moment + 1
    except (TimeError, ValueError, OverflowError):
        pass
    if _LIKE_ISO.fullmatch(given):
        return None  # a date that does not exist; a part of it would be another date
    found = find_times(given, said)
    if len(found) != 1 or found[0].start is None or found[0].end is None:
        return None
    return found[0].start, found[0].end


def _calendar(year: int, month: int | None, day: int | None) -> tuple[Micros, Micros]:
    """The year, month or day of those numbers.

    Raises:
        ValueError: there is no such day, or no such month.
    """
    datetime(year, month or 1, day or 1)
    if month is None:
        span = year_span(year)
    elif day is None:
        span = month_span(12 * year + month - 1)
    else:
        span = day_span(datetime(year, month, day))
    return to_micros(span.start), to_micros(span.end)


def _named(turn: Turn) -> list[tuple[Interval, bool]]:
    """The times that a turn names, and whether each is certain."""
    found = find_times(turn.text, turn.at)
    return [(time.interval, time.certainty >= _CERTAIN) for time in found]


def _near(start: Micros, end: Micros, spoken: Interval) -> bool:
    """Whether two intervals overlap, with a leeway of a week or of the length of what was said."""
    first, last = spoken
    leeway = _LEEWAY if first is None or last is None else max(_LEEWAY, last - first)
    return (first is None or end > first - leeway) and (last is None or start < last + leeway)
