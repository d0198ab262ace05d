"""Dates as the data sets write them, and the clock that keeps turns in order."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memspan.errors import FormatError
from memspan.formats import dates
from memspan.formats.clock import Clock
from memspan.formats.place import Place

HERE = Place("f")
moments = st.datetimes(timezones=st.just(timezone.utc))


@given(moments)
def test_every_date_that_is_written_is_read_back(moment: datetime) -> None:
    day, month = moment.day, moment.strftime("%B")
    year, twelve = f"{moment.year:04}", moment.hour % 12 or 12
    to_minute, to_second = moment.replace(second=0, microsecond=0), moment.replace(microsecond=0)
    half = "am" if moment.hour < 12 else "pm"
    clock = f"{moment.hour:02}:{moment.minute:02}"
    assert (
        dates.clock_on_date(f"{twelve}:{moment.minute:02} {half} on {day} {month}, {year}", HERE) == to_minute
    )
    assert (
        dates.day_dot_month(f"{day:02}.{moment.month:02}.{year}, {clock}:{moment.second:02}", HERE)
        == to_second
    )
    assert dates.month_dash_day(f"{month}-{day:02}-{year}", HERE) == to_minute.replace(hour=0, minute=0)
    assert (
        dates.month_comma_day(f"{month[:3]} {day:02}, {year}, {clock}:{moment.second:02}", HERE) == to_second
    )
    weekday = moment.strftime("%a")
    assert dates.slashed_date(f"{year}/{moment.month:02}/{day:02} ({weekday}) {clock}", HERE) == to_minute


@given(st.text() | st.none() | st.integers() | st.lists(st.text()))
def test_anything_else_is_a_format_error(value: object) -> None:
    for read in (dates.clock_on_date, dates.day_dot_month, dates.month_dash_day, dates.slashed_date):
        with pytest.raises(FormatError, match="a date like"):
            read(value, HERE)


@pytest.mark.parametrize(
    "text",
    [
        "0:30 pm on 8 May, 2023",
        "13:30 pm on 8 May, 2023",
        "1:60 pm on 8 May, 2023",
        "1:30 pm on 31 June, 2023",
    ],
)
def test_times_that_no_clock_shows_are_refused(text: str) -> None:
    with pytest.raises(FormatError, match="a date like"):
        dates.clock_on_date(text, HERE)


def test_midnight_and_noon() -> None:
    assert dates.clock_on_date("12:00 am on 1 May, 2023", HERE).hour == 0
    assert dates.clock_on_date("12:00 pm on 1 May, 2023", HERE).hour == 12


@given(moments, st.integers(2, 400))
def test_a_session_keeps_its_order_and_its_day(start: datetime, count: int) -> None:
    start = start.replace(microsecond=0)
    clock = Clock(start)
    times = [clock.next() for _ in range(count)]
    assert times[0] == start
    assert all(a is not None and b is not None and a < b for a, b in pairwise(times))
    assert {time.date() for time in times if time is not None} == {start.date()}


def test_stamps_are_kept_and_ties_are_broken() -> None:
    at, clock = datetime(2024, 1, 1, tzinfo=timezone.utc), Clock()
    earlier, tick = at - timedelta(hours=1), timedelta(microseconds=1)
    assert [clock.stamp(time) for time in (at, at, at, earlier, at)] == [
        at,
        at + tick,
        at + 2 * tick,
        earlier,
        at,
    ]
    last = datetime.max.replace(tzinfo=timezone.utc)
    assert [clock.stamp(last), clock.stamp(last)] == [last, last]


def test_no_start_no_times() -> None:
    assert Clock().next() is None
