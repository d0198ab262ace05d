"""How times in Korean stand to what is asked for, which are the ends of one range, and what stands beside a day."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from .calendar import Unit, day_span, shifted
from .east_asian_beside import is_one_day, part_behind
from .east_asian_related import Related, bounded, from_edge, in_year_of, range_of
from .found import Relation
from .languages.korean import NATIVE_DAYS, NUMBER, PARTS, number_of
from .partial import Partial
from .reading import Reading

__all__ = ["counted_from", "is_denied", "related_in", "with_part"]

_TO: Final = re.compile(r"(?:부터|에서)\s?|\s?[~〜–-]\s?")
_AND: Final = re.compile(r"(?:과|와|이?랑|하고|,)\s?")
_CLOSING: Final = re.compile(r"\s?까지|\s?사이")
_BETWEEN: Final = re.compile(r"\s?사이")
_SUFFIXES: Final[tuple[tuple[re.Pattern[str], Relation], ...]] = (
    (re.compile(r"부터|\s?이후|\s?이래"), "since"),
    (re.compile(r"(?:이|가)?\s?지난?\s?(?:후|뒤)|\s?(?:후|뒤)(?=에|로|의|$|[\s,.?!])|\s?다음에"), "after"),
    (re.compile(r"\s?(?:이전|전)(?=에|의|까지|$|[\s,.?!])"), "before"),
    (re.compile("까지"), "until"),
)
_BUT: Final = re.compile(r"(?:에|의)?\s?(?:,|그리고)?\s?")
_DENIED: Final = re.compile(r"(?:에|이|가)?\s?(?:말고|아니라|아니고|빼고|제외하고)")
_PART: Final = re.compile(rf"(?:의)? ?(?P<part>{'|'.join(PARTS)})(?! ?(?:식사|밥|메뉴|시장|비행기))")
_FROM_DAY: Final = re.compile(
    r" ?(?:(?P<eve>전날)|(?P<next>다음 ?날)|"
    rf"(?:(?P<days>{'|'.join(NATIVE_DAYS)})|(?P<n>{NUMBER}) ?(?P<unit>일|주일|주)) ?(?P<side>전|후|뒤))"
)


def with_part(text: str, reading: Reading, end: int) -> tuple[Reading, int]:
    """The part of a day that is said behind it: "어제 아침", "토요일 밤"."""
    return part_behind(_PART.match(text, end), PARTS, reading, end)


def counted_from(text: str, reading: Reading, end: int) -> tuple[Reading, int]:
    """The day that is counted from one: "크리스마스 이틀 전", "5월 5일 다음 날"."""
    if not is_one_day(reading):
        return reading, end
    match = _FROM_DAY.match(text, end)
    if match is None:
        return reading, end
    days = 1
    if match["days"] is not None or match["n"] is not None:
        days = number_of(match["days"] or match["n"]) * (7 if match["unit"] in ("주", "주일") else 1)
    back = match["eve"] is not None or match["side"] == "전"
    day = day_span(shifted(reading.span.start, days=-days if back else days))
    unit: Unit = "day"
    reason = f"{days} days {'before' if back else 'after'} {reading.reason}"
    return reading._replace(span=day, reason=reason, unit=unit, partial=None), match.end()


def is_denied(text: str, end: int) -> bool:
    """As in "지난주 말고 5월", "어제가 아니라 오늘"."""
    return _DENIED.match(text, end) is not None


def related_in(text: str, found: list[tuple[int, int, Reading]], now: datetime) -> list[Related]:
    """Places, readings and relations of what was found, each in its order."""
    related: list[Related] = []
    at = 0
    while at < len(found):
        start, end, reading = found[at]
        if at + 1 < len(found):
            other_start, other_end, other = found[at + 1]
            other = _in_month_of(reading, other, now)
            closing = _CLOSING.match(text, other_end)
            between = _BETWEEN.match(text, other_end) is not None
            if _TO.fullmatch(text, end, other_start) or (between and _AND.fullmatch(text, end, other_start)):
                joined = range_of(reading, other, now)
                if joined.span.start < joined.span.end:
                    other_end = other_end if closing is None else closing.end()
                    related.append(((start, other_end), joined, "between"))
                    at += 2
                    continue
            if _AND.fullmatch(text, end, other_start):
                found[at + 1] = (other_start, other_end, in_year_of(reading, other, now))
        related.append(_one(text, start, end, reading))
        at += 1
    return bounded(text, related, now, _BUT)


def _in_month_of(first: Reading, other: Reading, now: datetime) -> Reading:
    """The "5일" of "5월 3일부터 5일까지", which has no month of its own."""
    one, two = first.partial, other.partial
    if one is None or two is None or one.day is None or two.month is not None or two.day is None:
        return other
    start = first.span.start
    month = 12 * start.year + start.month - 1 + (two.day < start.day)
    partial = Partial(month // 12, month % 12 + 1, two.day)
    span = partial.resolve(now)
    return other if span is None else other._replace(span=span, partial=partial, recurs=None)


def _one(text: str, start: int, end: int, reading: Reading) -> Related:
    for suffix, meaning in _SUFFIXES:
        match = suffix.match(text, end)
        if match is not None:
            return (start, match.end()), from_edge(reading, meaning), meaning
    return (start, end), reading, "in"
