"""What is counted back from now in Chinese and Japanese, or ahead: "三天前", "2、3週間前", "过去三个月", "两周后"."""

from __future__ import annotations

import re
from datetime import datetime
from re import Match
from typing import Final

from .calendar import SMALL_UNITS, Span, Unit, day_span, moved, shifted, unit_span
from .languages.east_asian import AGO, UNITS, number_of
from .partial import Partial
from .reading import Reading

__all__ = [
    "read_ago",
    "read_ahead",
    "read_between_ago",
    "read_few_ago",
    "read_few_past",
    "read_half_ago",
    "read_half_past",
    "read_longer_ago",
    "read_month_ago",
    "read_more_ago",
    "read_past",
    "read_this_day_ago",
    "read_this_time_ago",
    "read_within",
    "read_within_ahead",
    "reading_of",
]

_FEW: Final = (5, 2)
_DONE_IN: Final = re.compile(r"に?[^。！？!?，,、]{0,12}(?:完|成了|終|でき)")
"""Behind what tells how long something took: "三天内看完了"."""
_AROUND: Final[dict[Unit, int]] = {"month": 3, "year": 14}
"""Days on either side that "this time" stands for, so long ago."""
_SPARE: Final = 3
"""Days on either side that half a month stands for."""
_YEARS_OF_PEOPLE: Final = range(1900, 2100)


def reading_of(
    span: Span | None, unit: Unit, certainty: float, reason: str, partial: Partial | None = None
) -> Reading | None:
    return None if span is None else Reading(span, 0, certainty, reason, unit, partial=partial)


def read_ago(match: Match[str], now: datetime) -> Reading | None:
    unit, count = AGO[match["unit"]], number_of(match["n"])
    if unit == "year" and count in _YEARS_OF_PEOPLE:
        return None  # "2020年前的照片" is before that year
    return reading_of(unit_span(unit, moved(now, unit, -count)), unit, 0.9, f"{count} {unit} back")


def read_between_ago(match: Match[str], now: datetime) -> Reading | None:
    """As in "两三周前", "三到四天前", "2、3日前"."""
    unit = AGO[match["unit"]]
    low, high = number_of(match["low"] or match["one"]), number_of(match["high"] or match["other"])
    if not low < high or (match["one"] and high > low + 2):  # "三五天前"
        return None
    if unit == "year" and high in _YEARS_OF_PEOPLE:
        return None
    far, near = (unit_span(unit, moved(now, unit, -count)) for count in (high, low))
    return reading_of(Span(far.start, near.end), unit, 0.7, f"{low}-{high} {unit} back")


def read_this_day_ago(match: Match[str], now: datetime) -> Reading | None:
    unit, count = AGO[match["unit"]], number_of(match["n"])
    return reading_of(day_span(moved(now, unit, -count)), "day", 0.9, f"this day, {count} {unit} back")


def read_this_time_ago(match: Match[str], now: datetime) -> Reading | None:
    """As in "去年这个时候", "先月の今頃", "两年前的这个时候": the day itself and those around it."""
    if match["word"] is not None:
        unit, count = UNITS[match["word"]]
    else:
        unit, count = AGO[match["unit"]], -number_of(match["n"])
    days = _AROUND.get(unit)
    if days is None or not count:
        return None
    day = moved(now, unit, count)
    span = Span(day_span(shifted(day, days=-days)).start, day_span(shifted(day, days=days)).end)
    return reading_of(span, "day", 0.8, f"{count:+} {unit}, and {days} days on either side")


def read_ahead(match: Match[str], now: datetime) -> Reading | None:
    unit, count = AGO[match["unit"]], number_of(match["n"])
    if unit == "year" and count in _YEARS_OF_PEOPLE:
        return None
    return reading_of(unit_span(unit, moved(now, unit, count)), unit, 0.8, f"{count} {unit} ahead")


def read_month_ago(match: Match[str], now: datetime) -> Reading | None:
    year = now.year - number_of(match["n"])
    return (
        reading_of(Partial(year, number_of(match["m"])).resolve(now), "month", 0.9, "a month of another year")
        if year > 0
        else None
    )


def read_few_ago(match: Match[str], now: datetime) -> Reading | None:
    unit = AGO[match["unit"]]
    far, near = (unit_span(unit, moved(now, unit, -count)) for count in _FEW)
    return reading_of(Span(far.start, near.end), unit, 0.5, f"a few {unit} back")


def read_few_past(match: Match[str], now: datetime) -> Reading | None:
    unit = AGO[match["unit"]]
    return reading_of(
        Span(day_span(moved(now, unit, -_FEW[0])).start, now), unit, 0.5, f"a few {unit} up to now"
    )


def read_half_ago(match: Match[str], now: datetime) -> Reading | None:
    """With a half beside the number, or alone: "一年半前", "两个半月前", "半个月前"."""
    count = 0 if match["n"] is None else number_of(match["n"])
    unit = (match["unit"] or match["half"] or match["whole"])[-1]
    if unit == "年":
        count = 12 * count + 6
        return reading_of(
            unit_span("month", moved(now, "month", -count)), "month", 0.9, f"{count} month back"
        )
    if unit != "月":
        count = 60 * count + 30
        return reading_of(
            unit_span("minute", moved(now, "minute", -count)), "minute", 0.9, f"{count} minute back"
        )
    day = shifted(now, days=-30 * count - 15)
    span = Span(day_span(shifted(day, days=-_SPARE)).start, day_span(shifted(day, days=_SPARE)).end)
    return reading_of(span, "day", 0.5, f"{30 * count + 15} day back")


def read_half_past(match: Match[str], now: datetime) -> Reading | None:
    start = moved(now, "month", -6) if match["unit"] == "年" else shifted(now, days=-15)
    return reading_of(Span(day_span(start).start, now), "month", 0.8, f"half a {match['unit']} up to now")


def read_more_ago(match: Match[str], now: datetime) -> Reading | None:
    """As in "一年多前", "十多天前", "1年ちょっと前": not so long ago as one more, or ten more behind a ten."""
    named = match["unit"] or match["of_tens"] or match["of_one"]
    unit: Unit = "month" if match["month"] else AGO[named]
    count = number_of(match["n"])
    if unit == "year" and count in _YEARS_OF_PEOPLE:
        return None
    most = count + (9 if match["tens"] else 1)
    span = Span(moved(now, unit, -most), moved(now, unit, -count))
    if unit not in SMALL_UNITS:
        span = Span(day_span(span.start).start, day_span(span.end).end)
    return reading_of(span, unit, 0.6, f"{count}-{most} {unit} back")


def read_longer_ago(match: Match[str], now: datetime) -> Reading | None:
    """As in "2年以上前", which is all that was before."""
    unit, count = AGO[match["unit"]], number_of(match["n"])
    day = day_span(moved(now, unit, -count))
    return reading_of(Span(day.start, now), unit, 0.9, f"more than {count} {unit} back")


def read_within(match: Match[str], now: datetime) -> Reading | None:
    """As in "三天内", up to now; not how long something took."""
    unit, count = AGO[match["unit"]], number_of(match["n"])
    if _DONE_IN.match(match.string, match.end()):
        return None
    start = moved(now, unit, -count)
    if unit not in SMALL_UNITS:
        start = day_span(start).start
    return reading_of(Span(start, now), unit, 0.6, f"{count} {unit} up to now")


def read_within_ahead(match: Match[str], now: datetime) -> Reading | None:
    """The same in a sentence that looks ahead: from now on."""
    unit, count = AGO[match["unit"]], number_of(match["n"])
    end = moved(now, unit, count)
    if unit not in SMALL_UNITS:
        end = day_span(end).end
    return reading_of(Span(now, end), unit, 0.8, f"{count} {unit} from now")


def read_past(match: Match[str], now: datetime) -> Reading | None:
    unit, count = AGO[match["unit"]], number_of(match["n"])
    return reading_of(
        Span(day_span(moved(now, unit, -count)).start, now), unit, 0.9, f"{count} {unit} up to now"
    )
