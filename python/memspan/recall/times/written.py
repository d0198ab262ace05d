"""`written_interval`: the time that a model wrote into a field for one."""

from __future__ import annotations

import re
from datetime import datetime, timezone, tzinfo
from typing import Final

from memspan.errors import TimeError
from memspan.times import Interval, Micros, to_micros, to_moment

from .calendar import day_span, month_span, year_span
from .find import find_times
from .plain_signs import plain_signs

__all__ = ["MOST_AFTER", "MOST_BEFORE", "is_plausible", "written_interval"]

_DAY: Final = 86_400_000_000
MOST_BEFORE: Final = 150 * 366 * _DAY
MOST_AFTER: Final = 50 * 366 * _DAY
"""Nobody tells of what was earlier as remembered, or plans what is later."""

_WRITTEN: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_ORDINAL: Final = re.compile(r"\d{4}-?\d{3}")
"""The how manyth day of a year, which is all of it."""
_COMPACT: Final = re.compile(r"(\d{4})(\d\d)(\d\d)")
_UNKNOWN: Final = re.compile(r"(\d{4}(?:-\d\d)?)(?:-(?:00|[Xx?]{1,2})){1,2}")
"""What is not known of a day or month, as models write it: "2019-03-XX", "2019-00-00"."""
_YEAR_FIRST: Final = re.compile(r"(\d{4})([/.-]) ?(\d{1,2})(?:\2 ?(\d{1,2})(?!\d)|(?!\d))\.?")
"""Days and months as models write them that do not keep to ISO 8601: "2024/05/07", "2024. 5. 7.", "2024-5-7"."""
_DAY_FIRST: Final = re.compile(r"(\d{4}-\d\d-\d\d)[\s,]")
_PART_OF_YEAR: Final = re.compile(
    r"\d{4}[-/ ]?(?:W\d\d?(?:-?[1-7])?|Q[1-4]|H[12])|(?:W\d\d?|Q[1-4]|H[12])[-/ ]?\d{4}", re.IGNORECASE
)
"""A week, a quarter or a half of a year, which is all of it: "2023-W19", "2023-Q2", "Q2 2023"."""
_LIKE_ISO: Final = re.compile(r"[\d\s:.,TZWQH/+-]*", re.IGNORECASE)


def written_interval(given: str, now: datetime) -> tuple[Micros, Micros] | None:
    """The interval that is written, half-open; `None` when it cannot be read.

    A year, a month or a day (`2023`, `2023-05`, `2023-05-08`) is all of it, ISO 8601 text with a time that moment, and
    anything else what `find_times` reads. Slashes, dots and single digits do as well where the year comes first. Days,
    and times that name no zone, are those of `now`'s. A date that does not exist is none.
    """
    zone = now.tzinfo or timezone.utc
    given = plain_signs(given)[0]
    given = _as_iso(given.strip())
    first = given.split("/")[0].strip()
    if _PART_OF_YEAR.fullmatch(given) or _PART_OF_YEAR.fullmatch(first):
        return _found(given if _PART_OF_YEAR.fullmatch(given) else first, now)
    try:
        if parts := _WRITTEN.fullmatch(first):
            year, month, day = (int(part) if part else None for part in parts.groups())
            return _calendar(year or 0, month, day, zone)
        moment = to_moment(first, zone=zone)
        if _ORDINAL.fullmatch(first):
            return _calendar(moment.year, moment.month, moment.day, zone)
        micros = to_micros(moment)
        return micros, micros + 1
    except (TimeError, ValueError, OverflowError):
        pass
    if _LIKE_ISO.fullmatch(given):
        # "2024-05-07 10.30", "2024-05-07 - 2024-05-09" begin with a day; of any other date a part would be another one.
        begins = _DAY_FIRST.match(given)
        return None if begins is None else written_interval(begins[1], now)
    return _found(given, now)


def _found(given: str, now: datetime) -> tuple[Micros, Micros] | None:
    """The only time of a text, if it is bounded on both sides."""
    found = find_times(given, now)
    if len(found) != 1 or found[0].start is None or found[0].end is None:
        return None
    return found[0].start, found[0].end


def _as_iso(given: str) -> str:
    """A date with its year first as ISO 8601 has it: of "2024/05/07" only the year was before the slash, as in an
    interval. "2023/24" is no month."""
    if rest := _UNKNOWN.fullmatch(given):
        return rest[1]
    if compact := _COMPACT.fullmatch(given):
        return "-".join(compact.groups())  # all of the day
    match = _YEAR_FIRST.match(given)
    if match is None or not (match[4] or 1 <= int(match[3]) <= 12):
        return given
    numbers = [match[1], *(f"{int(part):02}" for part in match.group(3, 4) if part)]
    return "-".join(numbers) + given[match.end() :]


def is_plausible(interval: Interval, now: Micros) -> bool:
    """Whether people talk of such times: the ends that there are lie within 150 years before and 50 after."""
    return all(side is None or now - MOST_BEFORE <= side <= now + MOST_AFTER for side in interval)


def _calendar(year: int, month: int | None, day: int | None, zone: tzinfo) -> tuple[Micros, Micros]:
    """The year, month or day of those numbers.

    Raises:
        ValueError: there is no such day, or no such month.
    """
    datetime(year, month or 1, day or 1)
    if month is None:
        span = year_span(year)
    elif day is None:
        span = month_span(12 * year + month - 1)
    else:
        span = day_span(datetime(year, month, day))
    return to_micros(span.start.replace(tzinfo=zone)), to_micros(span.end.replace(tzinfo=zone))
