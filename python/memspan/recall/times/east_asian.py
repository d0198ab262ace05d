"""Time expressions in Chinese and Japanese, which have no spaces: patterns instead of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from re import Match
from typing import Final

from .calendar import Span, Unit, day_span, moved, season_span, shifted, thirds, unit_span
from .east_asian_related import Related, related_in
from .languages.east_asian import (
    AGO,
    DAYS,
    JAPANESE_WEEKDAYS,
    NIGHTS,
    NUMBER,
    SEASONS,
    THIRDS,
    TURNS,
    UNITS,
    WEEKDAYS,
    number_of,
)
from .partial import Partial
from .reading import Reading
from .turns import part_of_day, turn

__all__ = ["find_east_asian"]


def _words(table: Iterable[str]) -> str:
    return "|".join(sorted(table, key=len, reverse=True))


def find_east_asian(text: str, now: datetime) -> list[Related]:
    """Places, readings and relations, in order. Linear in the text but for the sorting of what was found."""
    found: list[tuple[int, int, Reading]] = []
    taken = bytearray(len(text))
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            start, end = match.span()
            if 1 in taken[start:end]:
                continue
            reading = read(match, now)
            if reading is not None:
                taken[start:end] = b"\1" * (end - start)
                found.append((start, end, reading))
    found.sort(key=lambda one: one[0])
    return related_in(text, found, now)


def _reading(
    span: Span | None, unit: Unit, certainty: float, reason: str, partial: Partial | None = None
) -> Reading | None:
    return None if span is None else Reading(span, 0, certainty, reason, unit, partial=partial)


def _date(match: Match[str], now: datetime) -> Reading | None:
    year, month, day = (None if part is None else number_of(part) for part in match.group("y", "m", "d"))
    partial = Partial(year, month, day)
    certainty = 1.0 if year is not None else 0.8
    return _reading(partial.resolve(now), partial.unit, certainty, "a date", partial)


def _month_part(match: Match[str], now: datetime) -> Reading | None:
    year, month = (None if part is None else number_of(part) for part in match.group("y", "m"))
    if match["word"] is not None:
        year = now.year + UNITS[match["word"]][1]
    span = Partial(year, month).resolve(now)
    third = THIRDS[match["part"]]
    return None if span is None else _reading(thirds(span, third), "month", 0.8, "a third of a month")


def _in_year(match: Match[str], now: datetime) -> Reading | None:
    year = int(match["y"]) if match["y"] else now.year + UNITS[match["word"]][1]
    if not 1 <= year <= 9999:
        return None
    if match["season"] is not None:
        return _reading(
            season_span(SEASONS[match["season"]], year), "quarter", 0.8, "a season of another year"
        )
    partial = Partial(year, number_of(match["m"]), None if match["d"] is None else number_of(match["d"]))
    certainty, reason = (1.0, "a date") if match["y"] else (0.9, "a date of another year")
    return _reading(partial.resolve(now), partial.unit, certainty, reason, partial)


def _season(match: Match[str], now: datetime) -> Reading | None:
    found = turn(now, "season", SEASONS[match["season"]], TURNS[match["turn"]])
    return None if found is None else _reading(*found, 0.8, "a season, counted from now")


def _unit(match: Match[str], now: datetime) -> Reading | None:
    unit, offset = UNITS[match["word"]]
    return _reading(unit_span(unit, now, offset), unit, 0.9, f"{offset:+} {unit}")


def _week_part(match: Match[str], now: datetime) -> Reading | None:
    week = unit_span("week", now, UNITS[match["word"]][1])
    if match["end"] is not None:
        return _reading(unit_span("weekend", week.start), "weekend", 0.9, "the weekend of a week")
    weekday = JAPANESE_WEEKDAYS[match["jday"]] if match["jday"] else WEEKDAYS[match["day"]]
    return _reading(day_span(shifted(week.start, days=weekday)), "day", 0.9, "a day of a week")


def _ago(match: Match[str], now: datetime) -> Reading | None:
    unit, count = AGO[match["unit"]], number_of(match["n"])
    return _reading(unit_span(unit, moved(now, unit, -count)), unit, 0.9, f"{count} {unit} back")


def _past(match: Match[str], now: datetime) -> Reading | None:
    unit, count = AGO[match["unit"]], number_of(match["n"])
    return _reading(
        Span(day_span(moved(now, unit, -count)).start, now), unit, 0.9, f"{count} {unit} up to now"
    )


def _day(match: Match[str], now: datetime) -> Reading | None:
    return _reading(day_span(shifted(now, days=DAYS[match[0]])), "day", 1.0, f"{DAYS[match[0]]:+} days")


def _night(match: Match[str], now: datetime) -> Reading | None:
    return _reading(part_of_day(shifted(now, days=NIGHTS[match[0]]), 3), "day", 0.9, "a night")


def _weekend(match: Match[str], now: datetime) -> Reading | None:
    span = unit_span("weekend", now, 0 if match["this"] is not None or now.weekday() >= 5 else -1)
    return _reading(span, "weekend", 0.7, "the latest weekend")


_YEARS: Final = _words(word for word, (unit, _) in UNITS.items() if unit == "year")
_WEEKS: Final = _words(word for word, (unit, _) in UNITS.items() if unit == "week")

# In this order: what a longer rule has taken is not looked at again.
_RULES: Final[tuple[tuple[re.Pattern[str], Callable[[Match[str], datetime], Reading | None]], ...]] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (
            rf"(?:(?P<y>\d{{4}})年|(?P<word>{_YEARS})の?)?(?P<m>{NUMBER})月(?P<part>上旬|中旬|下旬|初|末)",
            _month_part,
        ),
        (
            rf"(?:(?P<y>\d{{4}})年|(?P<word>{_YEARS}))[の的]?"
            rf"(?:(?P<m>{NUMBER})月(?:(?P<d>{NUMBER})[日号])?|(?P<season>[春夏秋冬])[天季]?)",
            _in_year,
        ),
        (rf"(?P<turn>{_words(TURNS)})(?P<season>[春夏秋冬])[天季]?", _season),
        (rf"(?P<y>\d{{4}})年(?:(?P<m>{NUMBER})月(?:(?P<d>{NUMBER})[日号])?)?(?![前代])", _date),
        (rf"(?P<y>(?!))?(?P<m>{NUMBER})月(?P<d>{NUMBER})[日号]", _date),
        (
            rf"(?P<word>{_WEEKS})の?(?:(?P<jday>[月火水木金土日])曜日?|(?P<end>末)|(?P<day>[一二三四五六日天]))",
            _week_part,
        ),
        (rf"(?:过去|最近)(?P<n>{NUMBER})(?P<unit>{_words(AGO)})", _past),
        (rf"(?P<n>{NUMBER})(?P<unit>{_words(AGO)})(?:之前|以前|前)", _ago),
        (_words(NIGHTS), _night),
        (_words(DAYS), _day),
        (rf"(?P<word>{_words(UNITS)})", _unit),
        (r"(?P<this>这个?|今)?(?:周末|週末)", _weekend),
        (rf"(?P<y>(?!))?(?P<d>(?!))?(?P<m>{NUMBER})月(?!曜)", _date),
    )
)
