"""The ways in which the known data sets write dates. None of them states a zone: all are read as UTC."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timezone
from re import Match
from typing import Any

from .place import Place

__all__ = ["clock_on_date", "day_dot_month", "month_comma_day", "month_dash_day", "slashed_date"]

# Not strptime: its month names and am/pm follow the locale of the process.
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
)
_MONTH += r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_DAY = r"(?P<day>[0-9]{1,2})"
_YEAR = r"(?P<year>[0-9]{4})"
_TIME = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
_SECONDS = r"(?::(?P<second>[0-9]{2}))?"


def _reader(pattern: str, example: str) -> Callable[[Any, Place], datetime]:
    expression = re.compile(rf"\s*{pattern}\s*", re.IGNORECASE)

    def read(value: Any, place: Place) -> datetime:
        match = expression.fullmatch(value) if isinstance(value, str) else None
        try:
            if match is not None:
                return _build(match)
        except ValueError:
            pass
        raise place.error(value, f"a date like {example!r}")

    read.__doc__ = f"Read a date like {example!r}."
    return read


def _build(match: Match[str]) -> datetime:
    parts = match.groupdict()
    month = parts["month"]
    hour = int(parts.get("hour") or 0)
    half = parts.get("half")
    if half is not None:
        if not 1 <= hour <= 12:
            raise ValueError("not an hour of a 12-hour clock")
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    return datetime(
        int(parts["year"]),
        int(month) if month[0].isdigit() else _MONTHS.index(month[:3].lower()) + 1,
        int(parts["day"]),
        hour,
        int(parts.get("minute") or 0),
        int(parts.get("second") or 0),
        tzinfo=timezone.utc,
    )


clock_on_date = _reader(
    rf"{_TIME}{_SECONDS}\s*(?P<half>[ap])\.?m\.?\s+on\s+{_DAY}\s+{_MONTH},?\s+{_YEAR}",
    "1:56 pm on 8 May, 2023",
)
day_dot_month = _reader(
    rf"{_DAY}\.(?P<month>[0-9]{{1,2}})\.{_YEAR},?\s+{_TIME}{_SECONDS}", "31.12.2023, 22:23:07 (day first)"
)
month_dash_day = _reader(rf"{_MONTH}-{_DAY}-{_YEAR}", "March-15-2024")
month_comma_day = _reader(
    rf"{_MONTH}\.?\s+{_DAY},\s+{_YEAR}(?:,\s*{_TIME}{_SECONDS})?", "Sep 04, 2025, 09:05:32"
)
slashed_date = _reader(
    rf"{_YEAR}/(?P<month>[0-9]{{1,2}})/{_DAY}(?:\s*\([a-z]+\))?(?:\s+{_TIME}{_SECONDS})?",
    "2023/05/20 (Sat) 02:21",
)
