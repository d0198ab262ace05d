"""Arithmetic on calendar units, in local time without a zone.

Nothing here raises at the ends of the calendar: what would lie before year 1 or after year 9999 becomes the first or
the last moment that there is, so that an interval may become empty there; callers drop those.

A moment with `fold=1` is `now`, or lies so many seconds, minutes or hours from it: it goes by the clock of `now` even
where that was changed in between, so that thirty minutes ago are thirty minutes. All others go by the clock of then.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = [
    "SEASONS",
    "SMALL_UNITS",
    "Span",
    "Unit",
    "clip",
    "day_span",
    "month_span",
    "month_start",
    "moved",
    "season_span",
    "shifted",
    "thirds",
    "unit_span",
    "year_span",
]

Unit: TypeAlias = Literal[
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "weekend",
    "fortnight",
    "month",
    "quarter",
    "year",
    "decade",
    "century",
]

SEASONS: Final = ("spring", "summer", "autumn", "winter")
"""The meteorological ones of the northern half: spring begins in March, winter in December."""

_DAYS: Final = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600}
SMALL_UNITS: Final = tuple(_SECONDS)
"""Those that are shorter than a day."""


class Span(NamedTuple):
    """A half-open interval of local time."""

    start: datetime
    end: datetime


def shifted(moment: datetime, *, days: int = 0, seconds: int = 0) -> datetime:
    """The moment so much later (or earlier), held at the ends of the calendar."""
    try:
        later = moment + timedelta(days=days, seconds=seconds)
    except OverflowError:
        return datetime.max if days + seconds > 0 else datetime.min
    return later.replace(fold=1) if moment.fold and not days else later


def month_start(index: int) -> datetime:
    """The start of a month counted from year 0: `12 * year + month - 1`."""
    if index < 12:
        return datetime.min
    if index >= 120_000:
        return datetime.max
    return datetime(index // 12, index % 12 + 1, 1)


def month_span(index: int, months: int = 1) -> Span:
    """So many months from that one on."""
    return Span(month_start(index), month_start(index + months))


def year_span(year: int, years: int = 1) -> Span:
    """So many years from that one on."""
    return month_span(12 * year, 12 * years)


def day_span(day: date | datetime, days: int = 1) -> Span:
    """So many days from that one on."""
    start = datetime(day.year, day.month, day.day)
    return Span(start, shifted(start, days=days))


def season_span(season: int, year: int) -> Span:
    """A season by its position in `SEASONS`; the year is that of its first month."""
    return month_span(12 * year + 2 + 3 * season, 3)


def moved(moment: datetime, unit: Unit, count: int) -> datetime:
    """The same moment so many units later: the last day of a month where it has no such day."""
    if unit in _SECONDS:
        return shifted(moment, seconds=count * _SECONDS[unit])
    if unit in _DAYS:
        return shifted(moment, days=count * _DAYS[unit])
    index = 12 * moment.year + moment.month - 1 + count * _MONTHS[unit]
    if not 12 <= index < 120_000:
        return datetime.max if count > 0 else datetime.min
    length = (month_start(index + 1) - month_start(index)).days or 31  # December 9999 has no next month
    return moment.replace(year=index // 12, month=index % 12 + 1, day=min(moment.day, length), fold=0)


def unit_span(unit: Unit, moment: datetime, offset: int = 0) -> Span:
    """The calendar unit around the moment, or the one so many units later. Weeks begin on Monday."""
    if unit in _SECONDS:
        start = moment.replace(microsecond=0)
        if unit != "second":
            start = start.replace(second=0)
        if unit == "hour":
            start = start.replace(minute=0)
        start = shifted(start, seconds=offset * _SECONDS[unit])
        return Span(start, shifted(start, seconds=_SECONDS[unit]))
    if unit in _DAYS:
        start = shifted(day_span(moment).start, days=offset * _DAYS[unit])
        if unit != "day":
            start = shifted(start, days=-start.weekday())
        if unit == "weekend":
            start = shifted(start, days=5)
        return day_span(start, {"weekend": 2}.get(unit, _DAYS[unit]))
    length = _MONTHS[unit]
    index = 12 * moment.year + (moment.month - 1 if length < 12 else 0)
    return month_span((index // length + offset) * length, length)


def thirds(span: Span, third: int) -> Span:
    """The first (0), middle (1) or last (2) third: of a month in days 1-10, 11-20 and the rest, of years in
    whole years or months, of weeks in whole days, of all else in equal parts."""
    start, end = span
    months = 12 * (end.year - start.year) + end.month - start.month
    if (start.day, end.day) == (1, 1) and months == 1:
        cuts = [start, shifted(start, days=10), shifted(start, days=20), end]
    elif (start.day, end.day) == (1, 1) and months >= 3:
        first = 12 * start.year + start.month - 1
        whole = 12 if months >= 36 else 1
        cuts = [month_start(first + round(months * part / 3 / whole) * whole) for part in range(4)]
    elif (end - start).days >= 3:
        days = (end - start).days
        cuts = [start, shifted(start, days=round(days / 3)), shifted(start, days=round(days * 2 / 3)), end]
    else:
        step = (end - start) / 3
        cuts = [start, start + step, start + 2 * step, end]
    return Span(cuts[third], cuts[third + 1])


def clip(span: Span, *, start: datetime | None = None, end: datetime | None = None) -> Span:
    """The part of the span between two moments; empty if there is none."""
    first = span.start if start is None else max(span.start, start)
    last = span.end if end is None else min(span.end, end)
    return Span(first, max(first, last))
