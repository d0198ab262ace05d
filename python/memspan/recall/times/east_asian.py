"""Time expressions in Chinese and Japanese, which have no spaces: patterns instead of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from re import Match
from typing import Final

from .calendar import Span, Unit, day_span, moved, season_span, shifted, thirds, unit_span
from .found import Relation
from .languages.east_asian import (
    AGO,
    DAYS,
    DIGITS,
    JAPANESE_WEEKDAYS,
    NIGHTS,
    NUMBER,
    SEASONS,
    THIRDS,
    UNITS,
    WEEKDAYS,
)
from .partial import Partial
from .reading import Reading
from .turns import part_of_day

__all__ = ["find_east_asian"]


def _words(table: Iterable[str]) -> str:
    return "|".join(sorted(table, key=len, reverse=True))


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十") if "十" in text else ("", "", text)
    return (10 * DIGITS.get(tens, 1) if ten else 0) + DIGITS.get(ones, 0)


def find_east_asian(text: str, now: datetime) -> list[tuple[tuple[int, int], Reading, Relation]]:
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
    return _related(text, found, now)


def _end(start: datetime, other: Reading, now: datetime) -> datetime:
    """Where a range ends; an end without its year is the first one after the start."""
    partial = other.partial
    if partial is None or partial.year is not None:
        return other.span.end
    for year in (start.year, start.year + 1):
        span = partial._replace(year=year).resolve(now) if year <= 9999 else None
        if span is not None and span.end > start:
            return span.end
    return other.span.end


def _related(
    text: str, found: list[tuple[int, int, Reading]], now: datetime
) -> list[tuple[tuple[int, int], Reading, Relation]]:
    related: list[tuple[tuple[int, int], Reading, Relation]] = []
    at = 0
    while at < len(found):
        start, end, reading = found[at]
        if at + 1 < len(found):
            other_start, other_end, other = found[at + 1]
            if _JOINT.fullmatch(text, end, other_start):
                start -= start > 0 and text[start - 1] in _FROM
                span = Span(reading.span.start, _end(reading.span.start, other, now))
                closing = _CLOSING.match(text, other_end)
                other_end = other_end if closing is None else closing.end()
                joined = Reading(span, 0, min(reading.certainty, other.certainty), "a range", other.unit)
                related.append(((start, other_end), joined, "between"))
                at += 2
                continue
        relation: Relation = "in"
        for suffix, meaning in _SUFFIXES:
            match = suffix.match(text, end)
            if match is not None:
                relation, end = meaning, match.end()
                break
        related.append(((start, end), reading, relation))
        at += 1
    return related


_JOINT: Final = re.compile(r"(?:到|至|から|-|~|〜|和|と)")
_FROM: Final = "从自由"
_CLOSING: Final = re.compile(r"まで|之间|为止|の間")
_SUFFIXES: Final[tuple[tuple[re.Pattern[str], Relation], ...]] = (
    (re.compile("以来|以降|から"), "since"),
    (re.compile("之后|以后|のあと|の後"), "after"),
    (re.compile("之前|以前|より前|の前"), "before"),
    (re.compile("为止|まで"), "until"),
)


def _reading(
    span: Span | None, unit: Unit, certainty: float, reason: str, partial: Partial | None = None
) -> Reading | None:
    return None if span is None else Reading(span, 0, certainty, reason, unit, partial=partial)


def _date(match: Match[str], now: datetime) -> Reading | None:
    year, month, day = (None if part is None else _number(part) for part in match.group("y", "m", "d"))
    partial = Partial(year, month, day)
    certainty = 1.0 if year is not None else 0.8
    return _reading(partial.resolve(now), partial.unit, certainty, "a date", partial)


def _month_part(match: Match[str], now: datetime) -> Reading | None:
    year, month = (None if part is None else _number(part) for part in match.group("y", "m"))
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
    partial = Partial(year, _number(match["m"]), None if match["d"] is None else _number(match["d"]))
    certainty, reason = (1.0, "a date") if match["y"] else (0.9, "a date of another year")
    return _reading(partial.resolve(now), partial.unit, certainty, reason)


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
    unit, count = AGO[match["unit"]], _number(match["n"])
    return _reading(unit_span(unit, moved(now, unit, -count)), unit, 0.9, f"{count} {unit} back")


def _past(match: Match[str], now: datetime) -> Reading | None:
    unit, count = AGO[match["unit"]], _number(match["n"])
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
