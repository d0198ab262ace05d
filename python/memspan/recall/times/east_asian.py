"""Time expressions in Chinese and Japanese, which have no spaces: patterns instead of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from re import Match
from typing import Final

from .calendar import Span, Unit, day_span, moved, season_span, shifted, thirds, unit_span
from .found import Relation
from .partial import Partial
from .reading import Reading
from .relative import part_of_day

__all__ = ["find_east_asian"]

_DIGITS: Final = {
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
    "十": 10,
}
_NUMBER: Final = r"(\d{1,4}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
_DAYS: Final = {
    "大前天": -3,
    "一昨日": -2,
    "前天": -2,
    "昨天": -1,
    "昨日": -1,
    "今天": 0,
    "今日": 0,
    "明天": 1,
    "明日": 1,
    "后天": 2,
    "明後日": 2,
    "おととい": -2,
    "きのう": -1,
    "きょう": 0,
    "あした": 1,
}
_NIGHTS: Final = {"昨晚": -1, "昨夜": -1, "昨晩": -1, "今晚": 0, "今夜": 0, "今晩": 0}
_UNITS: Final[dict[str, tuple[Unit, int]]] = {
    "上上周": ("week", -2),
    "上周": ("week", -1),
    "上星期": ("week", -1),
    "上个星期": ("week", -1),
    "这周": ("week", 0),
    "本周": ("week", 0),
    "这个星期": ("week", 0),
    "下周": ("week", 1),
    "下星期": ("week", 1),
    "上个月": ("month", -1),
    "上月": ("month", -1),
    "这个月": ("month", 0),
    "本月": ("month", 0),
    "下个月": ("month", 1),
    "前年": ("year", -2),
    "去年": ("year", -1),
    "今年": ("year", 0),
    "明年": ("year", 1),
    "先々週": ("week", -2),
    "先週": ("week", -1),
    "今週": ("week", 0),
    "来週": ("week", 1),
    "先月": ("month", -1),
    "今月": ("month", 0),
    "来月": ("month", 1),
    "一昨年": ("year", -2),
    "昨年": ("year", -1),
    "来年": ("year", 1),
}
_AGO: Final[dict[str, Unit]] = {
    "天": "day",
    "日": "day",
    "周": "week",
    "个星期": "week",
    "週間": "week",
    "个月": "month",
    "ヶ月": "month",
    "か月": "month",
    "カ月": "month",
    "年": "year",
    "小时": "hour",
    "時間": "hour",
}
_WEEKDAYS: Final = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_JAPANESE_WEEKDAYS: Final = {"月": 0, "火": 1, "水": 2, "木": 3, "金": 4, "土": 5, "日": 6}
_THIRDS: Final = {"上旬": 0, "初": 0, "中旬": 1, "下旬": 2, "末": 2}
_SEASONS: Final = {"春": 0, "夏": 1, "秋": 2, "冬": 3}


def _words(table: Iterable[str]) -> str:
    return "|".join(sorted(table, key=len, reverse=True))


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十") if "十" in text else ("", "", text)
    return (10 * _DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)


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
    return _related(text, found)


def _related(
    text: str, found: list[tuple[int, int, Reading]]
) -> list[tuple[tuple[int, int], Reading, Relation]]:
    related: list[tuple[tuple[int, int], Reading, Relation]] = []
    at = 0
    while at < len(found):
        start, end, reading = found[at]
        if at + 1 < len(found):
            other_start, other_end, other = found[at + 1]
            if _JOINT.fullmatch(text, end, other_start):
                last = other.span.end
                if last <= reading.span.start:  # from November to February
                    last = moved(last, "year", 1)
                span = Span(reading.span.start, last)
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
_CLOSING: Final = re.compile(r"まで|之间|为止|の間")
_SUFFIXES: Final[tuple[tuple[re.Pattern[str], Relation], ...]] = (
    (re.compile("以来|から"), "since"),
    (re.compile("之后|以后|以降|のあと|の後"), "after"),
    (re.compile("之前|以前|より前|の前"), "before"),
    (re.compile("为止|まで"), "until"),
)


def _reading(span: Span | None, unit: Unit, certainty: float, reason: str) -> Reading | None:
    return None if span is None else Reading(span, 0, certainty, reason, unit)


def _date(match: Match[str], now: datetime) -> Reading | None:
    year, month, day = (None if part is None else _number(part) for part in match.group("y", "m", "d"))
    partial = Partial(year, month, day)
    certainty = 1.0 if year is not None else 0.8
    return _reading(partial.resolve(now), partial.unit, certainty, "a date")


def _month_part(match: Match[str], now: datetime) -> Reading | None:
    year, month = (None if part is None else _number(part) for part in match.group("y", "m"))
    if match["word"] is not None:
        year = now.year + _UNITS[match["word"]][1]
    span = Partial(year, month).resolve(now)
    third = _THIRDS[match["part"]]
    return None if span is None else _reading(thirds(span, third), "month", 0.8, "a third of a month")


def _in_year(match: Match[str], now: datetime) -> Reading | None:
    year = now.year + _UNITS[match["word"]][1]
    if not 1 <= year <= 9999:
        return None
    if match["season"] is not None:
        return _reading(
            season_span(_SEASONS[match["season"]], year), "quarter", 0.8, "a season of another year"
        )
    partial = Partial(year, _number(match["m"]), None if match["d"] is None else _number(match["d"]))
    return _reading(partial.resolve(now), partial.unit, 0.9, "a date of another year")


def _unit(match: Match[str], now: datetime) -> Reading | None:
    unit, offset = _UNITS[match["word"]]
    return _reading(unit_span(unit, now, offset), unit, 0.9, f"{offset:+} {unit}")


def _week_part(match: Match[str], now: datetime) -> Reading | None:
    week = unit_span("week", now, _UNITS[match["word"]][1])
    if match["end"] is not None:
        return _reading(unit_span("weekend", week.start), "weekend", 0.9, "the weekend of a week")
    weekday = _JAPANESE_WEEKDAYS[match["jday"]] if match["jday"] else _WEEKDAYS[match["day"]]
    return _reading(day_span(shifted(week.start, days=weekday)), "day", 0.9, "a day of a week")


def _ago(match: Match[str], now: datetime) -> Reading | None:
    unit, count = _AGO[match["unit"]], _number(match["n"])
    return _reading(unit_span(unit, moved(now, unit, -count)), unit, 0.9, f"{count} {unit} back")


def _past(match: Match[str], now: datetime) -> Reading | None:
    unit, count = _AGO[match["unit"]], _number(match["n"])
    return _reading(
        Span(day_span(moved(now, unit, -count)).start, now), unit, 0.9, f"{count} {unit} up to now"
    )


def _day(match: Match[str], now: datetime) -> Reading | None:
    return _reading(day_span(shifted(now, days=_DAYS[match[0]])), "day", 1.0, f"{_DAYS[match[0]]:+} days")


def _night(match: Match[str], now: datetime) -> Reading | None:
    return _reading(part_of_day(shifted(now, days=_NIGHTS[match[0]]), 3), "day", 0.9, "a night")


def _weekend(match: Match[str], now: datetime) -> Reading | None:
    span = unit_span("weekend", now, 0 if match["this"] is not None or now.weekday() >= 5 else -1)
    return _reading(span, "weekend", 0.7, "the latest weekend")


_YEARS: Final = "去年|今年|明年|前年|昨年|来年|一昨年"
_WEEKS: Final = "上上周|上周|上星期|上个星期|这周|本周|这个星期|下周|下星期|先々週|先週|今週|来週"

# In this order: what a longer rule has taken is not looked at again.
_RULES: Final[tuple[tuple[re.Pattern[str], Callable[[Match[str], datetime], Reading | None]], ...]] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (
            rf"(?:(?P<y>\d{{4}})年|(?P<word>{_YEARS})の?)?(?P<m>{_NUMBER})月(?P<part>上旬|中旬|下旬|初|末)",
            _month_part,
        ),
        (rf"(?P<y>\d{{4}})年(?:(?P<m>{_NUMBER})月(?:(?P<d>{_NUMBER})[日号])?)?(?![前代])", _date),
        (
            rf"(?P<word>{_YEARS})の?(?:(?P<m>{_NUMBER})月(?:(?P<d>{_NUMBER})[日号])?|(?P<season>[春夏秋冬]))",
            _in_year,
        ),
        (rf"(?P<y>(?!))?(?P<m>{_NUMBER})月(?P<d>{_NUMBER})[日号]", _date),
        (
            rf"(?P<word>{_WEEKS})の?(?:(?P<jday>[月火水木金土日])曜日?|(?P<end>末)|(?P<day>[一二三四五六日天]))",
            _week_part,
        ),
        (rf"(?:过去|最近)(?P<n>{_NUMBER})(?P<unit>{_words(_AGO)})", _past),
        (rf"(?P<n>{_NUMBER})(?P<unit>{_words(_AGO)})(?:之前|以前|前)", _ago),
        (_words(_NIGHTS), _night),
        (_words(_DAYS), _day),
        (rf"(?P<word>{_words(_UNITS)})", _unit),
        (r"(?P<this>这个?|今)?(?:周末|週末)", _weekend),
        (rf"(?P<y>(?!))?(?P<d>(?!))?(?P<m>{_NUMBER})月(?!曜)", _date),
    )
)
