"""Times as callers may pass them."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Any

import numpy as np
import pytest

from memspan.errors import TimeError
from memspan.times import to_intervals, to_micros, to_moment


class Undecided(tzinfo):
    """A zone that does not say how far it is from UTC, which Python allows."""

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        return None

    def dst(self, at: datetime | None) -> timedelta | None:
        return None

    def tzname(self, at: datetime | None) -> str | None:
        return None


class Unusable:
    """Says that it is an integer, and is none."""

    def __index__(self) -> Any:
        return "5"


class NoTime(datetime):
    """As pandas' `NaT`: a datetime by its class that tells no time."""

    def utcoffset(self) -> timedelta | None:
        raise ValueError("NaTType does not support utcoffset")


def test_naive_means_utc_also_with_a_zone_that_does_not_say() -> None:
    aware = to_micros(datetime(2024, 5, 8, 13, tzinfo=timezone.utc))
    assert to_micros(datetime(2024, 5, 8, 13)) == aware
    assert to_micros(datetime(2024, 5, 8, 13, tzinfo=Undecided())) == aware


@pytest.mark.parametrize("number", [5, np.int64(5), np.uint8(5), np.array(5)])
def test_whatever_is_an_integer(number: Any) -> None:
    assert to_micros(number) == 5


@pytest.mark.parametrize(
    "value",
    [
        np.array([5]),
        np.array([5.0]),
        np.array(5.0),
        np.array([1, 2]),
        Unusable(),
        np.True_,
        10**400,
        NoTime(2024, 5, 8),
        date(2024, 5, 8),
        "1707050911707",  # milliseconds since 1970; or the year 1707, with 1 between date and time
        "170705091170712",
    ],
)
def test_what_is_none_is_named(value: Any) -> None:
    with pytest.raises(TimeError, match=r"^now: got .*accepted: a datetime"):
        to_micros(value, "now")
    for between in [(value, None), [(value, None)], [(None, value), (None, None)]]:
        with pytest.raises(TimeError, match=r"^between\[0\]: got .*accepted: a datetime"):
            to_intervals(between)


def test_a_datetime_that_tells_no_time_is_no_moment_either() -> None:
    with pytest.raises(TimeError, match=r"^now: got NoTime.*accepted: a datetime"):
        to_moment(NoTime(2024, 5, 8), "now")
