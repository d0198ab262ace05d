"""Days that have a name and a rule of the civil calendar or of Easter.

Days of lunar calendars are not here: they need tables that go out of date, and differ from place to place.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Final

from dateutil.easter import easter

from .calendar import Span, day_span, month_start, unit_span

__all__ = ["NAMED_DAYS", "last_named_day", "latest_dated_weekday", "named_day", "with_weekend"]

# (month, day); (month, which, weekday) for "the fourth Thursday of November", -1 for the last, with days after it, and
# days of the month that are passed over before it is counted; or days after Easter.
NAMED_DAYS: Final[dict[str, tuple[int, ...]]] = {
    "new year": (1, 1),
    "winter holidays": (1, 1),
    "epiphany": (1, 6),
    "martin luther king": (1, 3, 0),
    "burns": (1, 25),
    "australia": (1, 26),
    "valentine": (2, 14),
    "presidents": (2, 3, 0),
    "women": (3, 8),
    "st patrick": (3, 17),
    "shrove tuesday": (-47,),
    "ash wednesday": (-46,),
    "rose monday": (-48,),
    "carnival": (-50,),
    "mothering sunday": (-21,),
    "easter break": (-9,),
    "palm sunday": (-7,),
    "holy week": (-7,),
    "maundy thursday": (-3,),
    "good friday": (-2,),
    "holy saturday": (-1,),
    "easter": (0,),
    "easter monday": (1,),
    "ascension": (39,),
    "pentecost": (49,),
    "whit monday": (50,),
    "corpus christi": (60,),
    "april fool": (4, 1),
    "earth": (4, 22),
    "liberation": (4, 25),
    "anzac": (4, 25),
    "king": (4, 27),
    "golden week": (4, 29),
    "labour": (5, 1),
    "cinco de mayo": (5, 5),
    "mother": (5, 2, 6),
    "memorial": (5, -1, 0),
    "children": (6, 1),
    "juneteenth": (6, 19),
    "father": (6, 3, 6),
    "canada": (7, 1),
    "summer holidays": (7, 1),
    "independence": (7, 4),
    "bastille": (7, 14),
    "obon": (8, 13),
    "assumption": (8, 15),
    "labor": (9, 1, 0),
    "china": (10, 1),
    "german unity": (10, 3),
    "columbus": (10, 2, 0),
    "halloween": (10, 31),
    "all saints": (11, 1),
    "all souls": (11, 2),
    "guy fawkes": (11, 5),
    "armistice": (11, 11),
    "singles": (11, 11),
    "remembrance sunday": (11, 2, 6),
    "thanksgiving": (11, 4, 3),
    "black friday": (11, 4, 3, 1),
    "cyber monday": (11, 4, 3, 4),
    "giving tuesday": (11, 4, 3, 5),
    "first advent": (11, 1, 6, 0, 26),
    "second advent": (11, 2, 6, 0, 26),
    "third advent": (11, 3, 6, 0, 26),
    "fourth advent": (11, 4, 6, 0, 26),
    "nicholas": (12, 6),
    "immaculate": (12, 8),
    "christmas break": (12, 23),
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "boxing": (12, 26),
    "new year eve": (12, 31),
}

_LENGTHS: Final = {
    "winter holidays": 59,
    "carnival": 4,
    "holy week": 8,
    "easter break": 18,
    "golden week": 7,
    "summer holidays": 62,
    "obon": 4,
    "christmas break": 15,
}
"""Days of those that have more than one."""
_MONTHS_BACK: Final = 240


def named_day(name: str, year: int) -> Span:
    """That day of a year from 1 to 9999."""
    rule = NAMED_DAYS[name]
    length = _LENGTHS.get(name, 1)
    if len(rule) == 1:
        return day_span(easter(year) + timedelta(days=rule[0]), length)
    if len(rule) == 2:
        return day_span(date(year, rule[0], rule[1]), length)
    month, which, weekday = rule[:3]
    first = date(year, month, 1) + timedelta(days=sum(rule[4:]))
    if which < 0:
        first = date(year, month + 1, 1) - timedelta(days=7)
        which = 1
    day = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (which - 1) + sum(rule[3:4]))
    return day_span(day)


def last_named_day(name: str, now: datetime) -> Span:
    """The latest of them that has begun by `now`, or the first one that there is."""
    for year in (now.year, now.year - 1):
        if year < 1:
            break
        span = named_day(name, year)
        if span.start <= now:
            return span
    return named_day(name, max(1, now.year - 1))


def with_weekend(day: Span) -> Span:
    """A day, the weekend that it touches or comes nearest to, and what lies between."""
    weekend = unit_span("weekend", day.start, -1 if day.start.weekday() < 2 else 0)
    return Span(min(day.start, weekend.start), max(day.end, weekend.end))


def latest_dated_weekday(weekday: int, day: int, now: datetime) -> Span | None:
    """The latest such day of a month that was that day of the week: "Friday the 13th". `None` without one in years."""
    month = 12 * now.year + now.month - 1
    for back in range(_MONTHS_BACK):
        start = month_start(month - back)
        if start.year != (month - back) // 12:
            break
        try:
            moment = start.replace(day=day)
        except ValueError:
            continue
        if moment <= now and moment.weekday() == weekday:
            return day_span(moment)
    return None
