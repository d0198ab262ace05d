"""The how manyth of what comes round: last week, the Christmas before last, this summer, two Fridays ago."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from .calendar import SMALL_UNITS, Span, Unit, day_span, month_span, season_span, shifted, unit_span
from .named_days import named_day

__all__ = ["part_of_day", "turn", "weekday_near"]

# Hours from midnight at which a part of the day begins and ends: morning, afternoon, evening, night.
_PARTS: Final = ((5, 12), (12, 18), (18, 24), (18, 30))

_JUST_OVER: Final = 45
_FAR_OFF: Final = 180
"""Days after the last of something, and before the next, in which "this" one is the last."""
_JUST_OVER_MONTHS: Final = 10
"""The same for a month, before the next."""


def part_of_day(day: datetime, part: int) -> Span:
    """The morning, afternoon, evening or night of a day; the night ends on the next one."""
    start, end = _PARTS[part]
    midnight = day_span(day).start
    return Span(shifted(midnight, seconds=3600 * start), shifted(midnight, seconds=3600 * end))


def weekday_near(now: datetime, weekday: int, count: int) -> Span:
    """The latest such day before today (-1), that of this week (0), or the next one after today (1); so on weekly."""
    today = day_span(now).start
    if count == 0:
        return day_span(shifted(today, days=weekday - today.weekday()))
    direction = 1 if count > 0 else -1
    gap = (weekday - today.weekday()) * direction % 7
    return day_span(shifted(today, days=direction * (gap or 7) + 7 * (count - direction)))


def turn(now: datetime, kind: str, value: Any, count: int) -> tuple[Span, Unit] | None:
    """What a token of that kind and value names, so many turns from now: -2 is the one before last, 0 this one."""
    if kind == "plural":
        kind, value = value
    if kind == "unit":
        return None if value in SMALL_UNITS and count == 0 else (unit_span(value, now, count), value)
    if kind == "weekday":
        return weekday_near(now, value, count), "day"
    if kind == "month":
        ahead = value - now.month
        if not count and ahead >= _JUST_OVER_MONTHS:  # "this December", asked in January
            count = -1
        elif count:
            count += 1 if count < 0 and ahead < 0 else -1 if count > 0 and ahead > 0 else 0
        return month_span(12 * (now.year + count) + value - 1), "month"
    if kind == "season":
        return _yearly(now, count, lambda year: season_span(value, year)), "quarter"
    if kind == "quarter":
        which, months = value
        return _yearly(
            now, count, lambda year: month_span(12 * year + months * (which - 1), months)
        ), "quarter"
    if kind == "named":
        return _yearly(now, count, lambda year: named_day(value, year)), "day"
    if kind == "part":
        return part_of_day(shifted(now, days=count), value), "day"
    return None


def _yearly(now: datetime, count: int, in_year: Callable[[int], Span]) -> Span:
    """Of something that comes once a year, held at the ends of the calendar; "last" is over, "next" has not begun."""

    def held(year: int) -> Span:
        return in_year(max(1, min(year, 9999)))

    year = now.year
    if count == 0:
        # January belongs to the winter that began last year.
        before, following = held(year - 1), held(year)
        if before.start <= now < before.end:
            return before
        # "This Christmas", asked in January, has just been.
        just_over = before.end <= now < shifted(before.end, days=_JUST_OVER)
        return before if just_over and shifted(now, days=_FAR_OFF) < following.start else following
    if count < 0:
        latest = next((back for back in range(3) if held(year - back).end <= now), 2)
        return held(year - latest + count + 1)
    nearest = next((ahead for ahead in range(-1, 2) if held(year + ahead).start > now), 1)
    return held(year + nearest + count - 1)
