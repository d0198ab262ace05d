"""What the patterns of `.korean` were matched to, as readings."""

from __future__ import annotations

from datetime import date, datetime
from re import Match
from typing import Final

from .calendar import (
    SMALL_UNITS,
    Span,
    Unit,
    day_span,
    month_span,
    moved,
    season_span,
    shifted,
    thirds,
    unit_span,
    year_span,
)
from .languages.korean import (
    DAYS,
    FEASTS,
    MOMENTS,
    MONTHS,
    NATIVE_DAYS,
    SEASONS,
    THIRDS,
    TURNS,
    UNITS,
    WEEKDAYS,
    YEARS,
    number_of,
)
from .named_days import last_named_day, named_day
from .partial import Partial
from .parts import nth_of
from .reading import Reading
from .turns import part_of_day, turn, weekday_near

__all__ = [
    "read_ago",
    "read_between_ago",
    "read_date",
    "read_day",
    "read_day_in_numbers",
    "read_decade",
    "read_end_of_month",
    "read_end_of_year",
    "read_feast",
    "read_in_year",
    "read_lone_day",
    "read_moment",
    "read_nth",
    "read_numeric",
    "read_of_year_ago",
    "read_part_of_year",
    "read_past",
    "read_season",
    "read_this_time",
    "read_turned",
    "read_turned_month",
    "read_two_months",
    "read_week",
    "read_weekday",
    "read_weekend",
]

_FEW: Final = (5, 2)
_SATURDAY: Final = 5
_HALF: Final = 6
_LONGEST_MONTH: Final = 30
_WHICH: Final = {"첫": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "마": -1}
"""By the first syllable of "첫째", "두 번째", "마지막"."""
_EVENTS: Final = (
    "생일",
    "결혼식",
    "결혼",
    "시험",
    "여행",
    "수술",
    "출산",
    "이사",
    "졸업",
    "출국",
    "면접",
    "입사",
    "퇴사",
    "마감",
)
"""What "3일 전" is counted from, if it stands before: no time is known of these."""


def _of(
    span: Span | None,
    unit: Unit,
    certainty: float,
    reason: str,
    *,
    partial: Partial | None = None,
    recurs: Unit | None = None,
    whole: Span | None = None,
) -> Reading | None:
    if span is None:
        return None
    return Reading(span, 0, certainty, reason, unit, partial=partial, recurs=recurs, whole=whole)


def _year(match: Match[str], now: datetime) -> int | None:
    """The year that stands before it, in digits or as a word."""
    if match["word"] is not None:
        return now.year + YEARS[match["word"]]
    if match["y"] is None:
        return None
    return int(match["y"]) + (2000 if len(match["y"]) == 2 else 0)


def _month(text: str) -> int:
    return int(text) if text.isdecimal() else MONTHS[text]


def read_date(match: Match[str], now: datetime) -> Reading | None:
    """As in "2023년 5월 7일", "작년 5월", "5월 말", "5월 3~5일"."""
    year = _year(match, now)
    day = None if match["d"] is None else int(match["d"])
    partial = Partial(year, _month(match["m"]), day)
    span = partial.resolve(now)
    if span is None:
        return None
    recurs: Unit | None = "year" if year is None else None
    certainty = 0.8 if year is None else 1.0
    if match["part"] is not None:
        third = match["part"]
        whole = None if third.endswith("순") else span
        return _of(
            thirds(span, THIRDS[third]), "month", 0.8, "a third of a month", recurs=recurs, whole=whole
        )
    if match["last"] is not None:
        days = int(match["last"]) - int(match["d"])
        return (
            _of(day_span(span.start, days + 1), "day", certainty, "days of a month")
            if 0 < days <= _LONGEST_MONTH
            else None
        )
    reason = "a date" if year is not None else "the latest such date"
    return _of(span, partial.unit, certainty, reason, partial=partial, recurs=recurs)


def read_two_months(match: Match[str], now: datetime) -> Reading | None:
    """As in "5~7월"."""
    start = Partial(_year(match, now), int(match["m"])).resolve(now)
    months = int(match["last"]) - int(match["m"])
    if start is None or not 0 < months < 12 or int(match["last"]) > 12:
        return None
    first = 12 * start.start.year + start.start.month - 1
    return _of(month_span(first, months + 1), "month", 0.8, "months of a year")


def read_numeric(match: Match[str], now: datetime) -> Reading | None:
    partial = Partial(int(match["y"]), int(match["m"]), int(match["d"]))
    return _of(partial.resolve(now), "day", 1.0, "a date in numbers", partial=partial)


def read_nth(match: Match[str], now: datetime) -> Reading | None:
    """As in "5월 첫째 주", "지난달 마지막 금요일"."""
    if match["m"] is None:
        month: Span | None = unit_span("month", now, TURNS[match["turn"]])
        recurs: Unit | None = None
    else:
        year = _year(match, now)
        month = Partial(year, _month(match["m"])).resolve(now)
        recurs = "year" if year is None else None
    if month is None:
        return None
    which = _WHICH[match["nth"][0]]
    if match["lone"] is not None:
        span = nth_of(month, "weekday", WEEKDAYS[match["lone"]], which)
        return _of(span, "day", 0.9, "a part of a month", recurs=recurs)
    unit: Unit = "weekend" if match["weekend"] else "week"
    span = nth_of(month, "unit", unit, which)
    if span is not None and match["day"] is not None:
        span = day_span(shifted(unit_span("week", span.start).start, days=WEEKDAYS[match["day"]]))
        return _of(span, "day", 0.8, "a day of a week of a month", recurs=recurs)
    return _of(span, unit, 0.8, "a part of a month", recurs=recurs)


def read_in_year(match: Match[str], now: datetime) -> Reading | None:
    """A year, or what stands behind it: "작년", "2023년 여름", "올해 상반기", "작년 크리스마스"."""
    year = _year(match, now)
    if year is None or not 1 <= year <= 9999:
        return None
    if match["season"] is not None:
        return _of(season_span(SEASONS[match["season"]], year), "quarter", 0.9, "a season of a year")
    if match["feast"] is not None:
        return _of(_named(match["feast"], year), "day", 1.0, "a named day of a year")
    if match["q"] is not None or match["half"] is not None:
        return _of(_months_of(match, year), "quarter", 0.9, "a part of a year")
    if match["part"] is not None:
        whole = year_span(year)
        return _of(thirds(whole, THIRDS[match["part"]]), "year", 0.8, "a third of a year", whole=whole)
    return _of(year_span(year), "year", 0.9, "a year", partial=Partial(year))


def _months_of(match: Match[str], year: int) -> Span:
    months = 3 if match["q"] else _HALF
    which = int(match["q"]) if match["q"] else 1 + (match["half"] == "하")
    return month_span(12 * year + months * (which - 1), months)


def read_part_of_year(match: Match[str], now: datetime) -> Reading | None:
    span = _months_of(match, now.year)
    if span.start > now:
        span = _months_of(match, now.year - 1)
    return _of(span, "quarter", 0.8, "the latest such part of a year", recurs="year")


def read_end_of_year(match: Match[str], now: datetime) -> Reading | None:
    """As in "연말", "연초": the latest that has begun."""
    third = THIRDS[match["part"]]
    year = now.year - (thirds(year_span(now.year), third).start > now)
    whole = year_span(year)
    return _of(thirds(whole, third), "year", 0.7, "the latest third of a year", recurs="year", whole=whole)


def read_end_of_month(match: Match[str], now: datetime) -> Reading | None:
    """As in "지난달 말", "월초"."""
    turns = 0 if match["turn"] is None else TURNS[match["turn"]]
    whole = unit_span("month", now, turns)
    third = THIRDS[match["part"]]
    if match["turn"] is None and thirds(whole, third).start > now:
        whole = unit_span("month", now, -1)
    return _of(thirds(whole, third), "month", 0.8, "a third of a month", whole=whole)


def _named(feast: str, year: int) -> Span | None:
    rule = FEASTS[feast]
    return named_day(rule, year) if isinstance(rule, str) else Partial(year, *rule).resolve(datetime.min)


def read_feast(match: Match[str], now: datetime) -> Reading | None:
    rule = FEASTS[match["feast"]]
    if match["turn"] is not None:
        direction = TURNS[match["turn"]]
        years = range(max(1, now.year - 2), min(9999, now.year + 2) + 1)
        days = [day for year in years if (day := _named(match["feast"], year)) is not None]
        over = [day for day in days if day.end <= now]
        coming = [day for day in days if day.start > now]
        side = over[direction:] if direction < 0 else coming[max(0, direction - 1) :]
        return _of(side[0] if side else None, "day", 0.8, "such a day, counted from now")
    span = last_named_day(rule, now) if isinstance(rule, str) else Partial(None, *rule).resolve(now)
    return _of(span, "day", 0.7, "the latest such day", recurs="year")


def read_season(match: Match[str], now: datetime) -> Reading | None:
    which = SEASONS[match["season"]]
    if match["turn"] is not None:
        found = turn(now, "season", which, TURNS[match["turn"]])
        return None if found is None else _of(*found, 0.8, "a season, counted from now")
    span = season_span(which, now.year)
    if span.start > now:
        span = season_span(which, now.year - 1)
    return _of(span, "quarter", 0.6, "the latest such season", recurs="year")


def read_turned(match: Match[str], now: datetime) -> Reading | None:
    """As in "지난주", "다음 달", "이번 주말", "지난주 월요일"."""
    turns = TURNS[match["turn"]]
    what = match["what"]
    if what == "주말":
        return _of(unit_span("weekend", now, turns), "weekend", 0.9, f"{turns:+} weekend")
    if what == "분기":
        return _of(unit_span("quarter", now, turns), "quarter", 0.9, f"{turns:+} quarter")
    unit: Unit = "month" if what == "달" else "week"
    span = unit_span(unit, now, turns)
    if match["weekend"] is not None:
        return _of(unit_span("weekend", span.start), "weekend", 0.9, "the weekend of a week")
    if match["day"] is not None:
        day = shifted(span.start, days=WEEKDAYS[match["day"]])
        return _of(day_span(day), "day", 0.9, "a day of a week")
    if match["date"] is not None:
        partial = Partial(span.start.year, span.start.month, int(match["date"]))
        return _of(partial.resolve(now), "day", 0.9, "a day of a month", partial=partial)
    return _of(span, unit, 0.9, f"{turns:+} {unit}")


def read_turned_month(match: Match[str], now: datetime) -> Reading | None:
    found = turn(now, "month", _month(match["m"]), TURNS[match["turn"]])
    return None if found is None else _of(*found, 0.8, "a month, counted from now")


def read_ago(match: Match[str], now: datetime) -> Reading | None:
    """As in "3일 전", "한 달 전", "이틀 뒤", "며칠 전", "반년 전", "1년 반 전"."""
    if match.string[: match.start()].rstrip().endswith(_EVENTS):
        return None
    back = match["side"] in ("전", "이전")
    way = -1 if back else 1
    if match["few"] is not None:
        unit = UNITS.get(match["fewunit"] or "일", "day")
        far, near = (unit_span(unit, moved(now, unit, way * count)) for count in _FEW)
        span = Span(min(far.start, near.start), max(far.end, near.end))
        return _of(span, unit, 0.5, f"a few {unit} {'back' if back else 'ahead'}")
    if match["half"] is not None:
        months = _HALF
        return _of(unit_span("month", moved(now, "month", way * months)), "month", 0.8, "half a year away")
    unit, count = _amount(match)
    if match["today"] is not None and unit not in SMALL_UNITS:
        return _of(day_span(moved(now, unit, way * count)), "day", 0.9, f"this day, {count} {unit} away")
    if match["more"] is not None and unit == "year":
        return _of(
            unit_span("month", moved(now, "month", way * (12 * count + _HALF))),
            "month",
            0.9,
            f"{count} years and a half away",
        )
    span = unit_span(unit, moved(now, unit, way * count))
    if match["day"] is not None and unit == "week":
        day = shifted(span.start, days=WEEKDAYS[match["day"]])
        return _of(day_span(day), "day", 0.9, f"a day of the week {count} {'back' if back else 'ahead'}")
    return _of(span, unit, 0.9, f"{count} {unit} {'back' if back else 'ahead'}")


def read_between_ago(match: Match[str], now: datetime) -> Reading | None:
    """As in "1~2주 전", "2, 3일 전"."""
    unit, low, high = UNITS[match["unit"]], int(match["low"]), int(match["high"])
    if not low < high:
        return None
    far, near = (unit_span(unit, moved(now, unit, -count)) for count in (high, low))
    return _of(Span(far.start, near.end), unit, 0.7, f"{low}-{high} {unit} back")


def read_day_in_numbers(match: Match[str], now: datetime) -> Reading | None:
    partial = Partial(None, int(match["m"]), int(match["d"]))
    return _of(partial.resolve(now), "day", 0.8, "the latest such date", partial=partial, recurs="year")


def read_week(match: Match[str], now: datetime) -> Reading | None:
    """As in "2023-W19"."""
    try:
        monday = date.fromisocalendar(int(match["y"]), int(match["n"]), 1)
    except ValueError:
        return None
    return _of(day_span(monday, 7), "week", 1.0, "a week of a year")


def read_of_year_ago(match: Match[str], now: datetime) -> Reading | None:
    """As in "3년 전 여름", "2년 전 5월"."""
    year = now.year - number_of(match["n"])
    if year < 1:
        return None
    if match["season"] is not None:
        return _of(season_span(SEASONS[match["season"]], year), "quarter", 0.9, "a season of another year")
    return _of(Partial(year, _month(match["m"])).resolve(now), "month", 0.9, "a month of another year")


def _amount(match: Match[str]) -> tuple[Unit, int]:
    if match["days"] is not None:
        return "day", NATIVE_DAYS[match["days"]]
    return UNITS[match["unit"]], number_of(match["n"])


def read_past(match: Match[str], now: datetime) -> Reading | None:
    """As in "지난 3개월", "최근 일주일", "지난 며칠", "앞으로 2주"."""
    ahead = match["lead"] == "앞으로"
    if match["few"] is not None:
        unit, count = UNITS.get(match["fewunit"] or "일", "day"), _FEW[0]
    else:
        unit, count = _amount(match)
    if ahead:
        end = moved(now, unit, count)
        return _of(
            Span(now, end if unit in SMALL_UNITS else day_span(end).end),
            unit,
            0.9,
            f"{count} {unit} from now",
        )
    start = moved(now, unit, -count)
    start = start if unit in SMALL_UNITS else day_span(start).start
    return _of(Span(start, now), unit, 0.9, f"{count} {unit} up to now")


def read_decade(match: Match[str], now: datetime) -> Reading | None:
    start = int(match["y"])
    if start < 100:
        start += now.year // 100 * 100
        start -= 100 if start > now.year else 0
    return _of(year_span(start, 10), "decade", 0.9, "a decade") if start >= 1 else None


def read_lone_day(match: Match[str], now: datetime) -> Reading | None:
    partial = Partial(day=int(match["d"]))
    return _of(
        partial.resolve(now), "day", 0.7, "the latest such day of a month", partial=partial, recurs="month"
    )


def read_day(match: Match[str], now: datetime) -> Reading | None:
    return _of(day_span(shifted(now, days=DAYS[match[0]])), "day", 1.0, f"{DAYS[match[0]]:+} days")


def read_moment(match: Match[str], now: datetime) -> Reading | None:
    days, part = MOMENTS[match[0]]
    return _of(part_of_day(shifted(now, days=days), part), "day", 0.9, "a part of a day")


def read_weekday(match: Match[str], now: datetime) -> Reading | None:
    weekday = WEEKDAYS[match["day"]]
    if match["turn"] is not None:
        return _of(
            weekday_near(now, weekday, TURNS[match["turn"]]), "day", 0.9, "such a day, counted from now"
        )
    span = weekday_near(shifted(now, days=1), weekday, -1)
    return _of(span, "day", 0.7, "the latest such day, today included", recurs="week")


def read_weekend(match: Match[str], now: datetime) -> Reading | None:
    span = unit_span("weekend", now, 0 if now.weekday() >= _SATURDAY else -1)
    return _of(span, "weekend", 0.7, "the latest weekend", recurs="week")


def read_this_time(match: Match[str], now: datetime) -> Reading | None:
    """As in "작년 이맘때"."""
    day = moved(now, "year", YEARS[match["word"]])
    span = Span(day_span(shifted(day, days=-14)).start, day_span(shifted(day, days=14)).end)
    return _of(span, "day", 0.8, "this time of another year")
