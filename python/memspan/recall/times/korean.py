"""Time expressions in Korean, whose particles are written to the words: patterns instead of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from re import Match
from typing import Final, TypeAlias

from .calendar import moved, unit_span
from .east_asian_numbers import read_month
from .east_asian_related import Related
from .korean_ahead import ahead_in
from .korean_readers import (
    read_ago,
    read_between_ago,
    read_date,
    read_day,
    read_day_in_numbers,
    read_decade,
    read_end_of_month,
    read_end_of_year,
    read_feast,
    read_in_year,
    read_lone_day,
    read_moment,
    read_nth,
    read_numeric,
    read_of_year_ago,
    read_part_of_year,
    read_past,
    read_season,
    read_this_time,
    read_turned,
    read_turned_month,
    read_two_months,
    read_week,
    read_weekday,
    read_weekend,
)
from .korean_related import counted_from, is_denied, related_in, with_part
from .languages.korean import (
    DAYS,
    FEASTS,
    MOMENTS,
    MONTHS,
    NATIVE_DAYS,
    NUMBER,
    SEASONS,
    THIRDS,
    TURNS,
    UNITS,
    YEARS,
)
from .reading import Reading

__all__ = ["find_korean"]

_Reader: TypeAlias = Callable[[Match[str], datetime], "Reading | None"]
_MOMENT: Final = timedelta(microseconds=1)


def find_korean(text: str, now: datetime) -> list[Related]:
    """Places, readings and relations, in order. Linear in the text but for the sorting of what was found."""
    ahead = ahead_in(text)
    found: list[tuple[int, int, Reading]] = []
    taken = bytearray(len(text))
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            start, end = match.start(), match.start() + len(match[0].rstrip())
            if 1 in taken[start:end]:
                continue
            reading = read(match, now)
            if reading is None:
                continue
            if ahead is not None and ahead[start]:
                reading = _next(match, now, reading, read)
            reading, end = with_part(text, *counted_from(text, reading, end))
            taken[start:end] = b"\1" * (end - start)
            found.append((start, end, reading))
    found = [one for one in found if not is_denied(text, one[1])]
    found.sort(key=lambda one: one[0])
    return related_in(text, found, now)


def _next(match: Match[str], now: datetime, latest: Reading, read: _Reader) -> Reading:
    """The same, as the first of its kind that is not over, where it comes round and nothing says which."""
    if latest.recurs is None or latest.span.end > now:
        return latest
    later = read(match, moved(unit_span(latest.unit, now).start, latest.recurs, 1) - _MOMENT)
    if later is None or later.span.end <= now:
        return latest
    return later._replace(reason=latest.reason.replace("latest", "next"))


def _words(table: Iterable[str]) -> str:
    return "|".join(sorted(table, key=len, reverse=True))


_FREE: Final = r"(?<![가-힣\d])"
"""Where a word begins."""
_END: Final = (
    r"(?=$|[^가-힣]|에|의|은|는|이|가|을|를|도|과|와|랑|하고|부터|까지|쯤|경|께|엔|동안|내내|밖에|만|로|중)"
)
"""Where one ends, but for its particles."""
_YEAR: Final = (
    rf"(?:(?P<y>(?<!\d)(?:\d{{4}}|\d\d(?=년 ?\d{{1,2}}월)))년도?|{_FREE}(?P<word>{_words(YEARS)}))의? ?"
)
_MONTH: Final = rf"(?<!매년 )(?P<m>(?<!\d)\d{{1,2}}|(?<![가-힣])(?:{_words(MONTHS)}))월(?!요일|급|세|드|마다)"
_TURN: Final = rf"{_FREE}(?P<turn>{_words(TURNS)})"
_THIRD: Final = rf"(?P<part>{_words(THIRDS)})(?!고|했|하|한|씀|이야){_END}"
_WEEKDAY: Final = r"(?P<day>[월화수목금토일])(?:요일|욜)"
_AMOUNT: Final = (
    rf"(?:(?P<few>며칠|몇 ?(?P<fewunit>{_words(UNITS)}))|(?P<days>{_words(NATIVE_DAYS)})"
    rf"|(?P<n>{NUMBER}) ?(?P<unit>{_words(UNITS)}))"
)
_NTH: Final = r"(?P<nth>첫 ?번?째|둘째|두 ?번째|셋째|세 ?번째|넷째|네 ?번째|마지막|첫) ?"

# In this order: what a longer rule has taken is not looked at again.
_RULES: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (
            r"(?<![\w./-])(?P<y>(?:19|20)\d\d)(?P<sign>[/.-]) ?(?P<m>\d{1,2})(?P=sign) ?(?P<d>\d{1,2})(?![\d/-])",
            read_numeric,
        ),
        (r"(?<![\w./-])(?P<m>\d{1,2})(?P<sign>[/.])(?P<d>\d{1,2})(?=에|부터|까지)", read_day_in_numbers),
        (r"(?<![\w-])(?P<y>(?:19|20)\d\d)-?[Ww](?P<n>\d\d)(?![\d-])", read_week),
        (
            r"(?<![\w./-])(?P<y>(?:19|20)\d\d)[/.-](?P<m>0?[1-9]|1[0-2])(?=에|의 ?|부터|까지|엔|이후|이전)",
            read_month,
        ),
        (
            rf"{_FREE}(?P<low>\d{{1,3}}) ?[~〜–,-] ?(?P<high>\d{{1,3}}) ?(?P<unit>{_words(UNITS)}) ?전"
            r"(?!반|체|화|부(?!터))",
            read_between_ago,
        ),
        (
            rf"{_FREE}(?P<n>{NUMBER})년 ?전의? ?(?:(?P<season>{_words(SEASONS)}){_END}|{_MONTH})",
            read_of_year_ago,
        ),
        (
            rf"(?:(?:{_YEAR})?{_MONTH}의?|{_TURN} ?달) ?{_NTH}"
            rf"(?:(?P<weekend>주말)|(?P<week>주)(?: ?{_WEEKDAY})?{_END}|(?P<lone>[월화수목금토일])요일)",
            read_nth,
        ),
        (rf"{_TURN} ?{_MONTH}(?! ?\d)", read_turned_month),
        (
            rf"(?:{_YEAR})?(?<![\d.])(?P<m>\d{{1,2}})월? ?[~〜–-] ?(?P<last>\d{{1,2}})월(?! ?\d)",
            read_two_months,
        ),
        (
            rf"(?:{_YEAR})?{_MONTH}"
            rf"(?: ?(?P<d>\d{{1,2}})(?:일? ?[~〜–-] ?(?P<last>\d{{1,2}}))?일(?!간|동안)| ?{_THIRD})?",
            read_date,
        ),
        (rf"{_FREE}(?P<word>{_words(YEARS)}) ?(?:이맘때|이때|이 시기)", read_this_time),
        (r"(?<!\d)(?P<y>(?:(?:19|20)\d|[1-9])0)년대", read_decade),
        (
            rf"{_YEAR}(?:(?P<season>{_words(SEASONS)}){_END}|(?P<feast>{_words(FEASTS)})|(?P<q>[1-4]) ?/?4?분기"
            rf"|(?P<half>[상하])반기|{_THIRD})?(?!생|산 )",
            read_in_year,
        ),
        (
            rf"(?:{_TURN} ?)?(?P<feast>{_words(FEASTS)})(?! ?(?:카드|트리|선물)|(?<=새해) ?(?:복|인사|계획|목표|다짐))",
            read_feast,
        ),
        (
            rf"{_FREE}{_AMOUNT}(?P<more> ?반)?(?P<half>(?!))? ?(?P<side>전|이전|후|뒤)"
            r"(?!반|체|화|부(?!터)|문|략|공|주|자|기|회|식)"
            rf"(?:(?<=주 [전후뒤])(?:의|에)? ?{_WEEKDAY}|(?P<today> ?오늘))?",
            read_ago,
        ),
        (
            rf"{_FREE}(?P<half>반년)(?P<few>(?!))?(?P<fewunit>(?!))?(?P<more>(?!))? ?(?P<side>전|후|뒤)",
            read_ago,
        ),
        (rf"{_FREE}(?P<lead>지난|최근|과거|앞으로) ?{_AMOUNT}(?!째|요일|말)", read_past),
        (r"(?<![\d가-힣])(?:(?P<q>[1-4]) ?분기|(?P<half>[상하])반기)", read_part_of_year),
        (rf"{_FREE}연(?P<part>초|말){_END}", read_end_of_year),
        (rf"{_TURN} ?달 ?{_THIRD}", read_end_of_month),
        (rf"{_FREE}(?P<turn>(?!))?월(?P<part>초|말){_END}", read_end_of_month),
        (
            rf"{_TURN} ?(?P<what>주말|주|달|분기)"
            rf"(?: ?(?:{_WEEKDAY}|(?P<weekend>주말)|(?P<date>\d{{1,2}})일))?{_END}",
            read_turned,
        ),
        (rf"{_TURN} ?{_WEEKDAY}", read_weekday),
        (rf"(?:{_TURN} ?|{_FREE})(?P<season>{_words(SEASONS)}){_END}", read_season),
        (_words(MOMENTS), read_moment),
        (rf"{_FREE}(?:{_words(DAYS)})(?!날|야(?!기)|서야)", read_day),
        (rf"(?<!매주 )(?<!매주)(?:{_FREE}){_WEEKDAY}(?!마다)(?P<turn>(?!))?", read_weekday),
        (rf"(?<!매주 )(?<!매 ){_FREE}주말(?!마다)", read_weekend),
        (
            r"(?<![\d가-힣./~-])(?<!월 )(?P<d>\d{1,2})일(?=에|부터|까지|날)(?!에 ?(?:한|두|세|\d+) ?번|까지 ?걸)",
            read_lone_day,
        ),
    )
)
