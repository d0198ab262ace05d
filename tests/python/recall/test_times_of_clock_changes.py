"""Time expressions where the clock is changed for summer or winter."""

from __future__ import annotations

from datetime import datetime

import pytest

from memspan.recall.times import find_times
from memspan.times import from_micros, to_micros

zoneinfo = pytest.importorskip("zoneinfo")
try:
    BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
except zoneinfo.ZoneInfoNotFoundError:
    pytest.skip("no time zone data on this machine", allow_module_level=True)


def test_days_keep_their_length() -> None:
    (time,) = find_times("on 26 March 2023", datetime(2023, 6, 15, tzinfo=BERLIN))
    assert time.start is not None
    assert time.end is not None
    assert time.end - time.start == 23 * 3600 * 1_000_000


@pytest.mark.parametrize(
    ("now", "text", "start", "end"),
    [
        # At 01:00 UTC the clock went from two to three.
        ("2024-03-31T01:15", "30 minutes ago", "2024-03-31T00:45", "2024-03-31T00:46"),
        ("2024-03-31T01:15", "an hour ago", "2024-03-31T00:00", "2024-03-31T01:00"),
        ("2024-03-31T01:15", "in the last hour", "2024-03-31T00:15", "2024-03-31T01:15"),
        ("2024-03-31T01:15", "in the last 24 hours", "2024-03-30T01:15", "2024-03-31T01:15"),
        ("2024-03-31T01:15", "more than two hours ago", None, "2024-03-30T23:15"),
        ("2024-03-31T01:15", "earlier today", "2024-03-30T23:00", "2024-03-31T01:15"),
        ("2024-03-31T01:15", "yesterday", "2024-03-29T23:00", "2024-03-30T23:00"),
        # At 01:00 UTC it went from three to two, so that there were two of half past two.
        ("2024-10-27T01:30", "30 minutes ago", "2024-10-27T01:00", "2024-10-27T01:01"),
        ("2024-10-27T01:30", "an hour ago", "2024-10-27T00:00", "2024-10-27T01:00"),
        ("2024-10-27T01:30", "in the last hour", "2024-10-27T00:30", "2024-10-27T01:30"),
        ("2024-10-27T01:30", "between an hour ago and now", "2024-10-27T00:00", "2024-10-27T01:30"),
        ("2024-10-27T01:30", "in the last 2 days", "2024-10-24T22:00", "2024-10-27T01:30"),
        ("2024-10-27T01:30", "earlier this week", "2024-10-20T22:00", "2024-10-27T01:30"),
        ("2024-10-27T00:30", "in the last hour", "2024-10-26T23:30", "2024-10-27T00:30"),
        ("2024-10-27T00:30", "vor 30 Minuten", "2024-10-27T00:00", "2024-10-27T00:01"),
    ],
)
def test_hours_and_minutes_keep_theirs(now: str, text: str, start: str | None, end: str) -> None:
    (time,) = find_times(text, from_micros(to_micros(f"{now}Z")).astimezone(BERLIN))
    assert time.interval == (None if start is None else to_micros(f"{start}Z"), to_micros(f"{end}Z"))
