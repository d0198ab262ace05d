"""Time expressions in Chinese and Japanese, which have no spaces: patterns instead of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from re import Match
from typing import Final, TypeAlias

from memspan.recall.traditional import simplified

from .calendar import (
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
from .east_asian_ago import (
    read_ago,
    read_ahead,
    read_between_ago,
    read_few_ago,
    read_few_past,
    read_half_ago,
    read_half_past,
    read_longer_ago,
    read_month_ago,
    read_more_ago,
    read_past,
    read_this_day_ago,
    read_this_time_ago,
    read_within,
    read_within_ahead,
    reading_of,
)
from .east_asian_ahead import ahead_in, has_begun, last_weekend
from .east_asian_beside import counted_from, is_denied, past_weekday, with_part
from .east_asian_numbers import MONTH, WEEK, read_month, read_week
from .east_asian_related import Related, related_in
from .languages.east_asian import (
    AGO,
    DAYS,
    FEASTS,
    JAPANESE_WEEKDAYS,
    MOMENTS,
    NUMBER,
    SEASONS,
    THIRDS,
    TURNS,
    UNITS,
    WEEKDAYS,
    YEAR,
    number_of,
    year_of,
)
from .named_days import last_named_day, latest_dated_weekday, named_day
from .partial import Partial
from .parts import nth_of
from .reading import Reading
from .turns import part_of_day, turn, weekday_near

__all__ = ["find_east_asian"]

_Reader: TypeAlias = Callable[[Match[str], datetime], "Reading | None"]


def _words(table: Iterable[str]) -> str:
    return "|".join(sorted(table, key=len, reverse=True))


def find_east_asian(text: str, now: datetime) -> list[Related]:
    """Places, readings and relations, in order. Linear in the text but for the sorting of what was found."""
    text = simplified(text)
    ahead = ahead_in(text)
    found: list[tuple[int, int, Reading]] = []
    taken = bytearray(len(text))
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            start, end = match.span()
            if 1 in taken[start:end]:
                continue
            reading = read(match, now)
            if ahead is not None and reading is not None and ahead[start] and not has_begun(text, start, end):
                reading = _next(match, now, reading, read)
            if reading is not None and reading.unit == "weekend":
                reading = last_weekend(text, start, end, reading, now)
            if reading is not None:
                end = past_weekday(text, reading, end)
                reading, end = with_part(text, *counted_from(text, reading, end))
                taken[start:end] = b"\1" * (end - start)
                found.append((start, end, reading))
    found = [one for one in found if not is_denied(text, *one[:2])]
    found.sort(key=lambda one: one[0])
    return related_in(text, found, now)


def _next(match: Match[str], now: datetime, latest: Reading, read: _Reader) -> Reading | None:
    """The same, as the first of its kind that is not over, where it comes round and nothing says which."""
    if read is read_within:
        return read_within_ahead(match, now)
    period = _COMES_ROUND.get(read)
    if period is None or latest.certainty > _INFERRED or latest.span.end > now:
        return latest
    start = unit_span(latest.unit, now).start
    later = read(match, moved(start, period, 1) - _MOMENT)
    if later is None or later.span.end <= now:
        return latest
    return later._replace(reason=latest.reason.replace("latest", "next"))


def _date(match: Match[str], now: datetime) -> Reading | None:
    month, day = (None if part is None else number_of(part) for part in match.group("m", "d"))
    year = None if match["y"] is None else year_of(match["y"])
    partial = Partial(year, month, day)
    certainty = 1.0 if year is not None else 0.8
    return reading_of(partial.resolve(now), partial.unit, certainty, "a date", partial)


def _two_months(match: Match[str], now: datetime) -> Reading | None:
    """As in "五六月"."""
    first, last = number_of(match["first"]), number_of(match["last"])
    start = Partial(_year(match, now), first).resolve(now)
    if start is None or last != first + 1:
        return None
    return reading_of(month_span(12 * start.start.year + first - 1, 2), "month", 0.8, "two months")


def _third_of(whole: Span, part: str, unit: Unit, certainty: float) -> Reading:
    """A third of a month or a year, with the whole that is over when it is, but for "下旬" (the last ten days)."""
    span = thirds(whole, THIRDS[part])
    reason = f"a third of a {unit}"
    return Reading(span, 0, certainty, reason, unit, whole=None if part.endswith("旬") else whole)


def _month_part(match: Match[str], now: datetime) -> Reading | None:
    span = Partial(_year(match, now), number_of(match["m"])).resolve(now)
    return None if span is None else _third_of(span, match["part"], "month", 0.8)


def _nth(match: Match[str], now: datetime) -> Reading | None:
    """As in "五月的第一周", "上个月最后一个周五", "5月の第2日曜日"."""
    partial = None if match["m"] is None else Partial(_year(match, now), number_of(match["m"]))
    month = unit_span("month", now, UNITS[match["month"]][1]) if partial is None else partial.resolve(now)
    if month is None:
        return None
    which = number_of(match["n"]) if match["n"] else 1 if match["first"] else -1
    weekday = match["jday"] or match["day"]
    if weekday:
        days = JAPANESE_WEEKDAYS if match["jday"] else WEEKDAYS
        span = nth_of(month, "weekday", days[weekday], which)
    else:
        unit: Unit = "weekend" if match["end"] else "week" if match["week"] else "day"
        span = nth_of(month, "unit", unit, which)
    sure = partial is None or partial.year is not None
    return reading_of(span, "day" if weekday else "week", 0.9 if sure else 0.7, "a part of a month")


def _unit_part(match: Match[str], now: datetime) -> Reading | None:
    unit, offset = UNITS[match["word"]]
    return _third_of(unit_span(unit, now, offset), match["part"], unit, 0.8)


def _lone_month_part(match: Match[str], now: datetime) -> Reading | None:
    month = unit_span("month", now)
    if thirds(month, THIRDS[match["part"]]).start > now:  # the latest that has begun
        month = unit_span("month", now, -1)
    return _third_of(month, match["part"], "month", 0.7)


def _year_part(match: Match[str], now: datetime) -> Reading | None:
    third = THIRDS[match["part"]]
    year = _year(match, now)
    if year is None:  # the latest that has begun
        year = now.year - (thirds(year_span(now.year), third).start > now)
    return _third_of(year_span(year), match["part"], "year", 0.8) if 1 <= year <= 9999 else None


def _year(match: Match[str], now: datetime) -> int | None:
    """The year that stands before it, in digits or as a word."""
    if match["word"] is not None:
        return now.year + UNITS[match["word"]][1]
    return None if match["y"] is None else year_of(match["y"])


def _feast(match: Match[str], now: datetime) -> Reading | None:
    name, year = FEASTS[match["feast"]], _year(match, now)
    if year is None:
        return reading_of(last_named_day(name, now), "day", 0.7, "the latest such day")
    return (
        reading_of(named_day(name, year), "day", 1.0, "a named day of a year") if 1 <= year <= 9999 else None
    )


def _in_year(match: Match[str], now: datetime) -> Reading | None:
    year = _year(match, now)
    if year is None or not 1 <= year <= 9999:
        return None
    if match["season"] is not None:
        return reading_of(
            season_span(SEASONS[match["season"]], year), "quarter", 0.8, "a season of another year"
        )
    partial = Partial(year, number_of(match["m"]), None if match["d"] is None else number_of(match["d"]))
    certainty, reason = (1.0, "a date") if match["y"] else (0.9, "a date of another year")
    return reading_of(partial.resolve(now), partial.unit, certainty, reason, partial)


def _year_parts(match: Match[str], now: datetime) -> Reading | None:
    """A quarter or a half, without its year the latest that has begun."""
    months = 3 if match["q"] else 6
    which = number_of(match["q"]) if match["q"] else 1 + (match["half"] in "下後")
    year = _year(match, now)
    if year is None:
        year = now.year - (month_span(12 * now.year + months * (which - 1), months).start > now)
    if not 1 <= year <= 9999:
        return None
    return reading_of(
        month_span(12 * year + months * (which - 1), months), "quarter", 0.9, f"{months} months of a year"
    )


def _decade(match: Match[str], now: datetime) -> Reading | None:
    if match["y"] is not None:
        start = int(match["y"])
    else:
        start = now.year // 100 * 100 + 10 * number_of(match["tens"] or match["digit"])
        start -= 100 if start > now.year else 0
    return reading_of(year_span(start, 10), "decade", 0.9, "a decade") if start >= 1 else None


def _season(match: Match[str], now: datetime) -> Reading | None:
    found = turn(now, "season", SEASONS[match["season"]], TURNS[match["turn"]])
    return None if found is None else reading_of(*found, 0.8, "a season, counted from now")


def _unit(match: Match[str], now: datetime) -> Reading | None:
    unit, offset = UNITS[match["word"]]
    return reading_of(unit_span(unit, now, offset), unit, 0.9, f"{offset:+} {unit}")


def _week_part(match: Match[str], now: datetime) -> Reading | None:
    week = unit_span("week", now, UNITS[match["word"]][1])
    if match["end"] is not None:
        return reading_of(unit_span("weekend", week.start), "weekend", 0.9, "the weekend of a week")
    weekday = JAPANESE_WEEKDAYS[match["jday"]] if match["jday"] else WEEKDAYS[match["day"]]
    return reading_of(day_span(shifted(week.start, days=weekday)), "day", 0.9, "a day of a week")


def _day_of_month(match: Match[str], now: datetime) -> Reading | None:
    month = unit_span("month", now, UNITS[match["word"]][1]).start
    partial = Partial(month.year, month.month, number_of(match["d"]))
    return reading_of(partial.resolve(now), "day", 0.9, "a day of a month", partial)


def _lone_day(match: Match[str], now: datetime) -> Reading | None:
    day, weekday = number_of(match["d"]), match["jday"] or match["day"]
    if weekday is None:
        span = Partial(day=day).resolve(now)
    else:
        span = latest_dated_weekday((JAPANESE_WEEKDAYS if match["jday"] else WEEKDAYS)[weekday], day, now)
    partial = None if span is None else Partial(span.start.year, span.start.month, day)
    return reading_of(span, "day", 0.7, "the latest such day of a month", partial)


def _day_of_week_ago(match: Match[str], now: datetime) -> Reading | None:
    week = unit_span("week", moved(now, "week", -number_of(match["n"])))
    weekday = JAPANESE_WEEKDAYS[match["jday"]] if match["jday"] else WEEKDAYS[match["day"]]
    return reading_of(day_span(shifted(week.start, days=weekday)), "day", 0.9, "a day of a week")


def _this_day_of_year(match: Match[str], now: datetime) -> Reading | None:
    years = UNITS[match["word"]][1]
    return reading_of(day_span(moved(now, "year", years)), "day", 0.9, f"this day, {years:+} year")


def _days_of_month(match: Match[str], now: datetime) -> Reading | None:
    """As in "5月3-5日"."""
    first = _date(match, now)
    days = number_of(match["last"]) - number_of(match["d"])
    if first is None or not 0 < days <= _LONGEST_MONTH:
        return None
    return first._replace(span=day_span(first.span.start, days + 1), partial=None)


def _day(match: Match[str], now: datetime) -> Reading | None:
    return reading_of(day_span(shifted(now, days=DAYS[match[0]])), "day", 1.0, f"{DAYS[match[0]]:+} days")


def _moment(match: Match[str], now: datetime) -> Reading | None:
    days, part = MOMENTS[match[0]]
    return reading_of(part_of_day(shifted(now, days=days), part), "day", 0.9, "a part of a day")


def _weekday(match: Match[str], now: datetime) -> Reading | None:
    weekday = JAPANESE_WEEKDAYS[match["jday"]] if match["jday"] else WEEKDAYS[match["day"] or match["short"]]
    span = weekday_near(shifted(now, days=1), weekday, -1)
    return Reading(span, 0, 0.7, "the latest such day, today included", "day", recurs="week")


def _next_weekday(match: Match[str], now: datetime) -> Reading | None:
    weekday = JAPANESE_WEEKDAYS[match["jday"]] if match["jday"] else WEEKDAYS[match["day"]]
    return reading_of(weekday_near(now, weekday, 1), "day", 0.9, "the next such day")


def _weekend(match: Match[str], now: datetime) -> Reading | None:
    if match["turn"] is not None:
        turns = TURNS[match["turn"]]
        return reading_of(unit_span("weekend", now, turns), "weekend", 0.9, f"{turns:+} weekend")
    span = unit_span("weekend", now, 0 if now.weekday() >= _SATURDAY else -1)
    return reading_of(span, "weekend", 0.7, "the latest weekend")


_HAN: Final = r"\u3040-\u30ff\u4e00-\u9fff"
_LONGEST_MONTH: Final = 30
_SATURDAY: Final = 5
_MOMENT: Final = timedelta(microseconds=1)
_INFERRED: Final = 0.8
"""How certain a date is whose year is not said, at most."""
_COMES_ROUND: Final[dict[_Reader, Unit]] = {
    _weekday: "week",
    _weekend: "week",
    _lone_day: "month",
    _date: "year",
    _feast: "year",
    _nth: "year",
    _two_months: "year",
    _lone_month_part: "month",
    _year_part: "year",
}
"""How often what a rule reads comes round, where no week or year stands beside it."""
_COUNTS: Final = r"\d一二两三四五六七八九十几数半个"
_MORE_COUNTS: Final = r"\d一二两三四五六七八九十百千万几数"
"""What makes only the end of a number of "十天前": "几十天前"."""
_ENDS: Final = r"初め(?!て)|初(?![一二三四五六七八九十めて次恋级級中雪夏春秋冬])|末|底(?![特层])"
"""Not "初めて" (for the first time), "初中" (a school), "底特律" (Detroit)."""
_TOLD: Final = r"[^。！？!?]{0,60}(?:了|过(?![生年节])|た(?=[。、？?！!のかよねら]|$)|ました|だった)"
"""In what is told of the past, where "三天后" is counted from something else."""
_THIRD: Final = rf"(?P<part>上旬|中旬|下旬|{_ENDS})"
_NO_YEARS: Final = rf"{_COUNTS}〇零百千万少青幼老成学周大每毎年"
"""What makes another word of "年末" and the like: "少年末期", "大年初一"."""
_NO_MONTHS: Final = rf"{_COUNTS}〇零百千万何岁歳蜜每毎ヶかカケヵ満满新明臘腊闰閏累望花"
"""What makes another word of "月末" and the like: "三个月末", "每月初"."""
_YEARS: Final = _words(word for word, (unit, _) in UNITS.items() if unit == "year")
_MONTHS: Final = _words(word for word, (unit, _) in UNITS.items() if unit == "month")
_WEEKS: Final = _words(word for word, (unit, _) in UNITS.items() if unit == "week")
_LONE_DAY: Final = (
    r"(?<![\d./:~\-〜–月年週周毎每约約近第计計共全の的こもとうあ和与至到])(?<!から)(?P<d>\d{1,2})"
    r"(?:日(?=[（(](?P<jday>[月火水木金土日])[）)])|号(?=[（(]?(?:星期|周|礼拜)(?P<day>[一二三四五六日天]))"
    r"|日(?=に(?![\d一数分わ]|何(?![をがかで])|ど[れの]くらい)|は|から|まで|以降)"
    r"|号(?=[之以][前后])|[日号](?=[我你他她咱那]|早上|上午|中午|下午|晚上))"
)
"""Not "3日に1回" (once in three days), "1日に何回" (how often a day), "この3日は" (these three days), "3号线"
(a line of the underground)."""

# In this order: what a longer rule has taken is not looked at again.
_RULES: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (
            # Beside a character of ours only: elsewhere the other languages read it with the words around it.
            rf"(?<![A-Za-z0-9_/.\-])(?:(?<=[{_HAN}])|(?<=[{_HAN}] )|(?=[\d/.\-]{{8,10}}[ （(]{{0,2}}[{_HAN}]))"
            r"(?P<y>(?:19|20)\d\d)(?P<sign>[/.\-])(?P<m>\d{1,2})(?P=sign)(?P<d>\d{1,2})"
            r"(?!\d|[/.\-]\d|版)",
            _date,
        ),
        (WEEK, read_week),
        (MONTH, read_month),
        (rf"(?:(?P<y>{YEAR})年|(?P<word>{_YEARS})の?)?(?P<m>{NUMBER})月[の的]?{_THIRD}", _month_part),
        (
            rf"(?<![{_COUNTS}])(?:(?P<y>{YEAR})年|(?P<word>{_YEARS})的?)?(?P<first>[一二三四五六七八])(?P<last>[二三四五六七八九])月",
            _two_months,
        ),
        (rf"(?P<word>{_MONTHS})の?{_THIRD}", _unit_part),
        (
            rf"(?:(?P<month>{_MONTHS})|(?:(?P<y>{YEAR})年|(?P<word>{_YEARS})[の的]?)?(?P<m>{NUMBER})月(?:份)?)[の的]?"
            rf"(?:第(?P<n>{NUMBER})|(?P<first>最初)|(?P<last>最后|最後))[の的]?一?个?"
            r"(?:(?P<end>[周週]末)|(?P<jday>[月火水木金土日])曜日?|(?:周|星期|礼拜)(?P<day>[一二三四五六日天])|"
            r"(?P<week>周|週(?!間)|星期|礼拜)|[天日](?![曜間]))",
            _nth,
        ),
        (rf"(?<![{_NO_MONTHS}])月(?P<part>{_ENDS})", _lone_month_part),
        (rf"(?P<word>{_MONTHS})[の的]?(?P<d>{NUMBER})[日号]", _day_of_month),
        (rf"(?P<word>{_YEARS})[の的]?(?:今天|今日)", _this_day_of_year),
        (
            rf"(?:(?P<word>{_YEARS}|{_MONTHS})|(?P<n>{NUMBER})(?P<unit>{_words(AGO)})(?:之前|以前|前))[の的]?"
            r"(?:这个?时候|这时候|同期(?![生会])|同一时期|今ごろ|今頃|同じ(?:時期|頃|ころ))",
            read_this_time_ago,
        ),
        (rf"(?P<n>{NUMBER})(?P<unit>{_words(AGO)})(?:之前|以前|前)[の的]?(?:今天|今日)", read_this_day_ago),
        (
            rf"(?<![{_COUNTS}百千万月])(?:(?P<low>{NUMBER})(?:到|至|[-–~〜～、，,])(?P<high>{NUMBER})"
            rf"|(?P<one>[一二两三四五六七八])(?P<other>[二三四五六七八九]))(?P<unit>{_words(AGO)})(?:之前|以前|前)",
            read_between_ago,
        ),
        (
            rf"(?:(?P<y>{YEAR})年)?(?P<m>{NUMBER})月(?P<d>{NUMBER})(?:到|至|[-–~〜～])(?P<last>{NUMBER})[日号]",
            _days_of_month,
        ),
        (
            rf"(?P<n>{NUMBER})(?:周|个星期|週間)(?:之前|以前|前)[の的]?"
            rf"(?:(?:星期|周|礼拜)(?P<day>[一二三四五六日天])|(?P<jday>[月火水木金土日])曜日?)",
            _day_of_week_ago,
        ),
        (
            rf"(?:(?P<y>{YEAR})年年?|(?P<word>{_YEARS})の?年?|(?<![{_NO_YEARS}])年)(?P<part>{_ENDS})",
            _year_part,
        ),
        (
            rf"(?<![每毎]年)(?<![每毎]年の)(?:(?:(?P<y>{YEAR})年|(?P<word>{_YEARS}))[の的]?)?"
            rf"(?<!メリー)(?<!ハッピー)(?P<feast>{_words(FEASTS)})(?![礼快卡树那ァ-ヶー]|(?<=元日)[一-龥])",
            _feast,
        ),
        (
            rf"(?:(?P<y>{YEAR})年|(?P<word>{_YEARS}))[の的]?"
            rf"(?:(?P<m>{NUMBER})月(?:(?P<d>{NUMBER})[日号])?|(?P<season>[春夏秋冬])(?!节)[天季]?)",
            _in_year,
        ),
        (
            rf"(?:(?:(?P<y>{YEAR})年度?|(?P<word>{_YEARS}))[の的]?)?"
            r"(?:第(?P<q>[一二三四1-4])(?:个?季度|四半期)|(?P<half>[上下])半[年期])(?!学)",
            _year_parts,
        ),
        (
            r"(?:(?P<y>(?:19|20)\d0)|(?:(?:二十|20)世[纪紀])?(?:(?P<tens>[二三四五六七八九])十|(?P<digit>[2-9])0))年代",
            _decade,
        ),
        (rf"(?P<turn>{_words(TURNS)})(?P<season>[春夏秋冬])(?!节)[天季]?", _season),
        (rf"(?P<y>{YEAR})年(?:(?P<m>{NUMBER})月(?:(?P<d>{NUMBER})[日号])?)?(?![前代])", _date),
        (rf"(?P<y>(?!))?(?P<m>{NUMBER})月(?P<d>{NUMBER})[日号]", _date),
        (_LONE_DAY, _lone_day),
        (
            r"(?:今度の|次の|来たる)(?P<jday>[月火水木金土日])曜日?|下一个(?:星期|周|礼拜)(?P<day>[一二三四五六日天])",
            _next_weekday,
        ),
        (
            rf"(?<![早晚])(?P<word>{_WEEKS})[の的]?(?:(?P<jday>[月火水木金土日])曜日?|(?P<end>[周週]?末)|(?P<day>[一二三四五六日天]))",
            _week_part,
        ),
        (
            rf"(?<![{_COUNTS}每毎])(?:(?:星期|礼拜)(?P<day>[一二三四五六日天])(?!气)|[周週](?P<short>[一二三四五六日])(?![次本]))"
            r"|(?<![每毎各])(?<![每毎]週)(?<![每毎]週の)(?P<jday>[月火水木金土日])曜(?:日|(?=[にのはもとまかを、。]|$))",
            _weekday,
        ),
        (
            rf"(?:过去的?|過去の?|最近的?|(?<![附靠接邻将最])近)(?P<n>{NUMBER})(?P<unit>{_words(AGO)})",
            read_past,
        ),
        (rf"(?:この|ここ|直近)(?P<n>{NUMBER})(?P<unit>日(?=間)|週間|[ヶかカ]月|年|時間)間?", read_past),
        (rf"(?<![以之目当年节月日])(?:前|这|过去|最近|ここ)[几数](?P<unit>{_words(AGO)})間?", read_few_past),
        (rf"(?<![{_COUNTS}百千万])好?[几数](?P<unit>{_words(AGO)})(?:之前|以前|前)", read_few_ago),
        (
            rf"(?:(?P<n>{NUMBER})(?:个半(?P<half>月|小时|钟头)|(?P<unit>年|[ヶかカヵケ]月|時間)半)"
            r"|(?<![上下前后後])半(?P<whole>个?月|年|个?小时))(?:之前|以前|前)",
            read_half_ago,
        ),
        (
            r"(?:过去|過去|最近|这|この|ここ|直近|近)(?:的|の)?半(?:个|か)?(?P<unit>年(?!级)|月(?!板))(?:間|来)?",
            read_half_past,
        ),
        (
            rf"(?<![{_COUNTS}百千万])(?P<n>{NUMBER})(?:个多(?:(?P<month>月)|(?P<unit>{_words(AGO)}))"
            rf"|(?<=[十0])(?P<tens>多)(?P<of_tens>{_words(AGO)})"
            rf"|(?P<of_one>{_words(AGO)})(?:多|余り?|あまり|ちょっと))(?:之前|以前|前)",
            read_more_ago,
        ),
        (rf"(?<![{_COUNTS}百千万])(?P<n>{NUMBER})(?P<unit>{_words(AGO)})以上(?:も|の)?前", read_longer_ago),
        (
            rf"(?<![{_COUNTS}百千万第])(?P<n>{NUMBER})(?P<unit>{_words(AGO)})(?:[之以]内|内(?![容部心外在涵地战阁]))",
            read_within,
        ),
        (rf"(?P<n>{NUMBER})年前[の的]?(?P<m>{NUMBER})月(?!{NUMBER}[日号])", read_month_ago),
        (
            rf"(?<![の{_MORE_COUNTS}])(?P<n>{NUMBER})(?P<unit>{_words(AGO)})(?:ほど|くらい|ぐらい)?(?:之前|以前|前)",
            read_ago,
        ),
        (
            rf"(?:(?<!\w)|(?<=[在将会要我你他她们就は]))(?P<n>{NUMBER})(?P<unit>{_words(AGO)})"
            rf"(?:之后|以后|[后後])(?![面来续半期])(?!{_TOLD})",
            read_ahead,
        ),
        (r"(?P<y>(?:19|20)\d\d)(?P<m>(?!))?(?P<d>(?!))?年(?=前)", _date),
        (_words(MOMENTS), _moment),
        (_words(DAYS), _day),
        (rf"(?!(?<=以)[上下]月|(?<=[早晚])上)(?P<word>{_words(UNITS)})", _unit),
        (rf"(?<![每毎各])(?<![每毎]个)(?P<turn>{_words(TURNS)})?[周週]末", _weekend),
        (rf"(?P<y>(?!))?(?P<d>(?!))?(?P<m>{NUMBER})月(?!曜)", _date),
    )
)
