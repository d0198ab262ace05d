"""What stands beside a day in Chinese and Japanese and says more of it, or that it is no matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from re import Match
from typing import Final

from .calendar import Span, Unit, day_span, shifted, unit_span
from .languages.east_asian import NUMBER, PARTS, number_of
from .reading import Reading
from .turns import part_of_day

__all__ = ["counted_from", "is_denied", "is_one_day", "part_behind", "past_weekday", "with_part"]

_DAY: Final = timedelta(days=1)
# Not "昨日の朝ごはん", "今日の夜景".
_PART: Final = re.compile(
    rf"(?P<part>{'|'.join(sorted(PARTS, key=len, reverse=True))})(?!ご飯|ごはん|[食飯市景勤刊])"
)
_BESIDE: Final = re.compile(
    r" ?[（(][月火水木金土日][）)]| ?[（(]?(?:(?:星期|周|週|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?)[）)]?"
)
_FROM_DAY: Final = re.compile(
    rf"の(?:(?P<n>{NUMBER})日[前後]|前日|翌日|次の日)|的?(?:[前后]一天|第二天)"
    rf"|的?[前后](?P<m>{NUMBER})(?P<unit>天|周|个?星期|个?礼拜)(?![前后内])|の(?P<w>{NUMBER})週間[前後]"
)
_NOT_BUT: Final = re.compile("(?:では|じゃ)なく")
_BUT: Final = re.compile("[，,、 ]*而?是")
_EXCEPT: Final = ("除", "除了", "除去", "除开")
_EXCEPT_IT: Final = re.compile("[之以]外")


def with_part(text: str, reading: Reading, end: int) -> tuple[Reading, int]:
    """The part of a day that is said behind it: "昨天早上", "土曜の夜"."""
    return part_behind(_PART.match(text, end), PARTS, reading, end)


def part_behind(
    match: Match[str] | None, parts: Mapping[str, int], reading: Reading, end: int
) -> tuple[Reading, int]:
    """The `part` of a day that was matched behind it; the day itself where none was, or it is more than a day."""
    if match is None or not is_one_day(reading):
        return reading, end
    span = part_of_day(reading.span.start, parts[match["part"]])
    return reading._replace(span=span, reason="a part of a day", partial=None), match.end()


def is_one_day(reading: Reading) -> bool:
    return reading.unit == "day" and reading.span.end - reading.span.start == _DAY


def past_weekday(text: str, reading: Reading, end: int) -> int:
    """Behind the day of the week that stands beside a date: "五月三日（周三）", "5月3日(水)"."""
    if reading.partial is None or reading.partial.day is None:
        return end
    match = _BESIDE.match(text, end)
    return end if match is None else match.end()


def counted_from(text: str, reading: Reading, end: int) -> tuple[Reading, int]:
    """The day that is counted from one: "クリスマスの2日前", "圣诞节前一天"."""
    if not is_one_day(reading):
        return reading, end
    match = _FROM_DAY.match(text, end)
    if match is None:
        return reading, end
    counted = match["n"] or match["m"] or match["w"]
    days = number_of(counted) if counted else 1
    back = "前" in match[0]
    if match["w"]:  # the week around the day: "クリスマスの2週間前"
        week = unit_span("week", shifted(reading.span.start, days=-7 * days if back else 7 * days))
        reason = f"{days} weeks from {reading.reason}"
        return _beside(reading, week, "week", reason), match.end()
    if match["unit"] not in (None, "天"):  # so many weeks up to it, or from it on: "圣诞节前一周"
        first = shifted(reading.span.start, days=-7 * days if back else 1)
        weeks = day_span(first, 7 * days)
        reason = f"{days} weeks beside {reading.reason}"
        return _beside(reading, weeks, "week", reason), match.end()
    days = -days if back else days
    day = day_span(shifted(reading.span.start, days=days))
    return _beside(reading, day, "day", f"{days:+} days from {reading.reason}"), match.end()


def _beside(reading: Reading, span: Span, unit: Unit, reason: str) -> Reading:
    """What is counted from a reading, which says which one it is."""
    return reading._replace(span=span, reason=reason, unit=unit, partial=None, recurs=None)


def is_denied(text: str, start: int, end: int) -> bool:
    """As in "不是上周，而是五月", "先週ではなく5月", "除了昨天", "昨日以外"."""
    if _NOT_BUT.match(text, end) is not None or _EXCEPT_IT.match(text, end) is not None:
        return True
    if text[:start].endswith(_EXCEPT):
        return True
    return (
        text[max(0, start - 3) : start].removesuffix("在").endswith("不是")
        and _BUT.match(text, end) is not None
    )
