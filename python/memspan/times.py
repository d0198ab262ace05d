"""Times at the border of the library: what callers may pass, and the integer microseconds used inside."""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any, Final, TypeAlias

import numpy as np
from dateutil.parser import isoparse

from .errors import TimeError, invalid
from .limits import MAX_INTERVALS

__all__ = [
    "MAX_MICROS",
    "MIN_MICROS",
    "Between",
    "Interval",
    "Micros",
    "TimeLike",
    "from_micros",
    "in_zone",
    "now_micros",
    "other_unit",
    "require_likely",
    "to_intervals",
    "to_likely_micros",
    "to_micros",
    "to_moment",
    "zone_of",
]

Micros: TypeAlias = int
"""Microseconds since 1970-01-01T00:00:00Z."""

TimeLike: TypeAlias = datetime | str | int
"""A `datetime` (naive means UTC), ISO 8601 text, or integer microseconds since 1970.

`Memory` refuses integers that read as seconds or milliseconds; an `Index` takes every one for what it is.
"""

Between: TypeAlias = (
    tuple[TimeLike | None, TimeLike | None] | Sequence[tuple[TimeLike | None, TimeLike | None]]
)
"""One `(start, end)` pair of times or several; the end is exclusive, `None` leaves a side open."""

Interval: TypeAlias = tuple[Micros | None, Micros | None]
"""A closed-open interval `[start, end)`; `None` leaves that end open."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)
MIN_MICROS: Micros = (datetime.min.replace(tzinfo=timezone.utc) - _EPOCH) // _MICROSECOND
MAX_MICROS: Micros = (datetime.max.replace(tzinfo=timezone.utc) - _EPOCH) // _MICROSECOND

_OTHER_UNITS: Final = ((10**9, "seconds", 10**6), (10**12, "milliseconds", 1000))
"""From these integers on, up to ten times as much: of the years 2001 to 2286 as these."""

_LONGEST_DIGITS: Final = 8
"""Of a text of digits alone, YYYYMMDD. A longer one is a number of seconds or less since 1970, which the parser, for
which any character may stand between date and time, would take for some hour of the 18th century."""

_ACCEPTED = "a datetime, ISO 8601 text or integer microseconds since 1970, in years 1-9999 (naive means UTC)"


def to_micros(value: TimeLike, argument: str = "at") -> Micros:
    """Convert any accepted time to UTC microseconds.

    Raises:
        TimeError: the value is of another type, cannot be parsed, or lies outside the years 1-9999.
    """
    if isinstance(value, str):
        value = _parse(value, argument)
    if isinstance(value, datetime):
        # Subtraction, unlike astimezone, stays exact for offsets that cross the first or last representable day.
        micros = (_zoned(value, argument, timezone.utc) - _EPOCH) // _MICROSECOND
    elif isinstance(value, (bool, np.bool_)):
        raise invalid(argument, value, _ACCEPTED, TimeError)
    else:
        try:
            micros = operator.index(value)
        except TypeError:  # of another type, or an array of which no single integer can be made
            raise invalid(argument, value, _ACCEPTED, TimeError) from None
    if not MIN_MICROS <= micros <= MAX_MICROS:
        raise invalid(argument, value, _ACCEPTED, TimeError)
    return micros


def to_likely_micros(value: TimeLike, argument: str = "at") -> Micros:
    """As `to_micros`, for times of what happened: where people and other programs count seconds or milliseconds.

    Raises:
        TimeError: as `to_micros`, and for integers that read as these, see `other_unit`.
    """
    micros = to_micros(value, argument)
    if (unit := other_unit(value)) is not None:
        raise invalid(argument, value, f"{_ACCEPTED}; {unit}", TimeError)
    return micros


def other_unit(value: object) -> str | None:
    """Says so of an integer that was likely meant as seconds or milliseconds, and what to give instead: read as
    microseconds it is of January to April 1970, where nobody would look for it."""
    if isinstance(value, (int, np.integer)):
        for least, unit, factor in _OTHER_UNITS:
            if least <= value < 10 * least:
                return f"this reads as {unit}: multiply by {factor:,}, or, for 1970, give a text"
    return None


def require_likely(between: Any, argument: str = "between") -> None:
    """Refuse integers in intervals that `other_unit` knows. Whatever else is wrong with these is not looked for.

    Raises:
        TimeError: names the integer.
    """
    if isinstance(between, (tuple, list)):
        for value in between:
            if isinstance(value, (tuple, list)):
                require_likely(value, argument)
            elif (unit := other_unit(value)) is not None:
                raise invalid(argument, value, f"{_ACCEPTED}; {unit}", TimeError)


def _parse(text: str, argument: str) -> datetime:
    text = text.strip()
    if len(text) > _LONGEST_DIGITS and text.isdecimal():
        raise invalid(argument, text, _ACCEPTED, TimeError)
    try:
        return isoparse(text)
    except (ValueError, OverflowError) as error:
        raise invalid(argument, text, _ACCEPTED, TimeError) from error


def to_moment(value: TimeLike, argument: str = "at", zone: tzinfo = timezone.utc) -> datetime:
    """The aware `datetime` of any accepted time, in the zone that it names: its days are those of whoever wrote it.

    Args:
        zone: of a time that names none; integers are in UTC.

    Raises:
        TimeError: as `to_micros`.
    """
    moment = _parse(value, argument) if isinstance(value, str) else value
    if not isinstance(moment, datetime):
        return from_micros(to_micros(moment, argument))
    moment = _zoned(moment, argument, zone)
    to_micros(moment, argument)
    return moment


def _zoned(moment: datetime, argument: str, zone: tzinfo) -> datetime:
    try:
        naive = moment.utcoffset() is None  # also with a zone that does not say
    except Exception as error:  # pandas' NaT is a datetime that tells no time, and there are zones that fail
        raise invalid(argument, moment, _ACCEPTED, TimeError) from error
    return moment.replace(tzinfo=zone) if naive else moment


def zone_of(moment: TimeLike | None, argument: str = "now") -> tzinfo:
    """The zone that a time names; UTC where it names none.

    Raises:
        TimeError: as `to_micros`.
    """
    return (None if moment is None else to_moment(moment, argument).tzinfo) or timezone.utc


def in_zone(moment: datetime, zone: tzinfo) -> datetime:
    """The same moment as clocks there show it; as it is where that lies outside the years 1-9999."""
    try:
        return moment.astimezone(zone)
    except (OverflowError, ValueError):
        return moment


def from_micros(micros: Micros) -> datetime:
    """The aware UTC `datetime` of a number of microseconds."""
    return _EPOCH + _MICROSECOND * micros


def now_micros() -> Micros:
    """The current time in UTC microseconds."""
    return time.time_ns() // 1000


def to_intervals(between: Any, argument: str = "between") -> list[Interval] | None:
    """Convert `between` to closed-open intervals in microseconds.

    Accepts `None` (no filter), one `(start, end)` pair, or a sequence of pairs; `None` inside a pair leaves that end
    open. Overlaps are allowed: the native core merges them.

    Raises:
        TimeError: a pair is malformed or reversed, or there are more than 1,024.
    """
    if between is None:
        return None
    accepted = (
        f"a pair (start, end) or a list of 1-{MAX_INTERVALS} pairs with start <= end; None leaves an end open"
    )
    if not isinstance(between, Sequence) or isinstance(between, (str, bytes)) or not between:
        raise invalid(argument, between, accepted, TimeError)
    pairs = [between] if _is_pair(between) else list(between)
    if len(pairs) > MAX_INTERVALS:
        raise invalid(argument, f"{len(pairs)} intervals", accepted, TimeError)
    intervals: list[Interval] = []
    for position, pair in enumerate(pairs):
        name = f"{argument}[{position}]"
        if not _is_pair(pair):
            raise invalid(name, pair, accepted, TimeError)
        start, end = (None if side is None else to_micros(side, name) for side in pair)
        if start is not None and end is not None and start > end:
            raise invalid(name, pair, accepted, TimeError)
        intervals.append((start, end))
    return intervals


def _is_pair(value: Any) -> bool:
    """Whether it is the two ends of an interval, of whatever type these are: what is wrong with one is then said."""
    return _is_list(value) and len(value) == 2 and not any(map(_is_list, value))


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
