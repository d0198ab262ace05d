"""How times in Chinese and Japanese stand to what is asked for, and which of them are the ends of one range."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, TypeAlias

from .calendar import Span, shifted
from .found import Relation
from .languages.east_asian import NUMBER, number_of
from .reading import Reading
from .turns import weekday_near

__all__ = ["Related", "bounded", "from_edge", "in_year_of", "range_of", "related_in"]

Related: TypeAlias = tuple[tuple[int, int], Reading, Relation]
"""Where it stands in the text, what was read, and how it is related."""

_TO: Final = re.compile("到|至|から|-|~|〜|–")
_AND: Final = re.compile("和|与|と|、")
_DAY_AFTER: Final = re.compile(rf"(?:{_TO.pattern}|{_AND.pattern})(?P<d>{NUMBER})[日号]")
_FROM: Final = "从自由"
_SINCE: Final = re.compile("开始|起")
"""Behind what begins with one of `_FROM`."""
_CLOSING: Final = re.compile(r"まで|之间|为止|の間")
_SUFFIXES: Final[tuple[tuple[re.Pattern[str], Relation], ...]] = (
    (re.compile("以来|以降|から|到现在|至今"), "since"),
    (re.compile("之后|以后|のあと|の後|より後"), "after"),
    (re.compile("之前|以前|より前|の前"), "before"),
    (re.compile("为止|まで"), "until"),
)
_LONGER_AGO: Final = ("以上前", "以上も前", "以上の前")
_PREFIXES: Final[dict[str, Relation]] = {
    "自从": "since",
    "不早于": "since",
    "不晚于": "until",
    "不迟于": "until",
    "早于": "before",
    "晚于": "after",
}
_GOES_ON: Final = r"(?=$|[\s，。、？！,.!?；;：:（）()我你您他她它咱的要必需完交做没にのはも]|\d{1,2}月)"
"""Behind a "前" or "後" that is no part of another word: not "昨天前端", "去年前女友", "5月前半"."""
_POINTS: Final[tuple[tuple[re.Pattern[str], Relation], ...]] = (
    (re.compile(rf"[后後]{_GOES_ON}"), "after"),
    (re.compile(rf"前{_GOES_ON}"), "before"),
)
"""Behind a day, a month or a year that is no word such as "last year"."""
_BUT: Final = re.compile("[、，, ]?(?:但|且|而|并且)?在?")


def range_of(reading: Reading, other: Reading, now: datetime) -> Reading:
    """From the beginning of the one to the end of the other."""
    span = Span(reading.span.start, closing_span(reading.span.start, other, now).end)
    return Reading(span, 0, min(reading.certainty, other.certainty), "a range", other.unit)


def closing_span(start: datetime, other: Reading, now: datetime) -> Span:
    """What ends a range that starts then; without its year it is the first one after the start, a day of the week the
    first such day."""
    if other.recurs == "week":
        return weekday_near(start, other.span.start.weekday(), 1)
    partial = other.partial
    if partial is None or partial.year is not None:
        return other.span
    for year in (start.year, start.year + 1):
        span = partial._replace(year=year).resolve(now) if year <= 9999 else None
        if span is not None and span.end > start:
            return span
    return other.span


def in_year_of(first: Reading, other: Reading, now: datetime) -> Reading:
    """What goes on a list: in the year of the first, where that has one and this has none ("2022年3月和4月")."""
    if first.partial is None or first.partial.year is None or other.partial is None or other.partial.year:
        return other
    partial = other.partial._replace(year=first.partial.year)
    span = partial.resolve(now)
    return other if span is None else other._replace(span=span, partial=partial)


def _read_day_after(text: str, found: list[tuple[int, int, Reading]], at: int, now: datetime) -> None:
    """Put in the day that has neither year nor month of its own: "5月3日から5日まで"."""
    _, end, reading = found[at]
    match = _DAY_AFTER.match(text, end) if reading.partial is not None and reading.partial.day else None
    if match is None or reading.partial is None or (at + 1 < len(found) and found[at + 1][0] < match.end()):
        return
    partial = reading.partial._replace(year=reading.span.start.year, day=number_of(match["d"]))
    span = partial.resolve(now)
    if span is not None:
        day = Reading(span, 0, reading.certainty, "another day of that month", "day", partial=partial)
        found.insert(at + 1, (match.start("d"), match.end(), day))


def related_in(text: str, found: list[tuple[int, int, Reading]], now: datetime) -> list[Related]:
    """Places, readings and relations of what was found, each in its order."""
    related: list[Related] = []
    at = 0
    while at < len(found):
        start, end, reading = found[at]
        _read_day_after(text, found, at, now)
        if at + 1 < len(found):
            other_start, other_end, other = found[at + 1]
            closing = _CLOSING.match(text, other_end)
            if _TO.fullmatch(text, end, other_start) or (closing and _AND.fullmatch(text, end, other_start)):
                start -= start > 0 and text[start - 1] in _FROM
                other_end = other_end if closing is None else closing.end()
                related.append(((start, other_end), range_of(reading, other, now), "between"))
                at += 2
                continue
            if _AND.fullmatch(text, end, other_start):
                found[at + 1] = (other_start, other_end, in_year_of(reading, other, now))
        related.append(_one(text, start, end, reading))
        at += 1
    return bounded(text, related, now)


def _one(text: str, start: int, end: int, reading: Reading) -> Related:
    for prefix, meaning in _PREFIXES.items():
        if text.startswith(prefix, start - len(prefix)) and start >= len(prefix):
            return (start - len(prefix), end), reading, meaning
    since = _SINCE.match(text, end)
    if since is not None and start and text[start - 1] in _FROM:
        return (start - 1, since.end()), reading, "since"
    if text[start:end].endswith(_LONGER_AGO):
        return (start, end), reading, "before"
    for suffix, meaning in _SUFFIXES:
        match = suffix.match(text, end)
        if match is not None:
            return (start, match.end()), from_edge(reading, meaning), meaning
    if reading.unit in ("day", "month") or reading.partial is not None or reading.whole is not None:
        for suffix, meaning in _POINTS:
            match = suffix.match(text, end)
            if match is not None:
                return (start, match.end()), from_edge(reading, meaning), meaning
    return (start, end), reading, "in"


def from_edge(reading: Reading, relation: Relation) -> Reading:
    """What is before the end of a month or a year goes on to the very end: "月底之前"."""
    whole = reading.whole
    if whole is None or relation != "before" or reading.span.end != whole.end:
        return reading
    return reading._replace(span=Span(whole.end, shifted(whole.end, days=1)))


def bounded(
    text: str, related: list[Related], now: datetime, between: re.Pattern[str] = _BUT
) -> list[Related]:
    """ "After May" and "before July" beside each other are one interval: "5月之后7月之前"."""
    kept: list[Related] = []
    for place, reading, relation in related:
        if kept and relation in ("before", "until"):
            first_place, first, first_relation = kept[-1]
            start = first.span.end if first_relation == "after" else first.span.start
            closing = closing_span(start, reading, now)
            end = closing.start if relation == "before" else closing.end
            beside = between.fullmatch(text, first_place[1], place[0]) is not None
            if beside and first_relation in ("after", "since") and start < end:
                both = first._replace(span=Span(start, end), reason="a range")
                kept[-1] = (first_place[0], place[1]), both, "between"
                continue
        kept.append((place, reading, relation))
    return kept
