"""What "this" is of things that come once a year: the one that was, if it has just been."""

from __future__ import annotations

import pytest

from memspan.recall import find_times
from memspan.times import to_micros


@pytest.mark.parametrize(
    ("now", "text", "start", "end"),
    [
        ("2024-01-05T09:00Z", "this Christmas", "2023-12-25", "2023-12-26"),
        ("2024-01-05T09:00Z", "diese Weihnachten", "2023-12-25", "2023-12-26"),
        ("2024-01-05T09:00Z", "this December", "2023-12-01", "2024-01-01"),
        ("2024-01-05T09:00Z", "this Thanksgiving", "2023-11-23", "2023-11-24"),
        ("2024-03-20T09:00Z", "this winter", "2023-12-01", "2024-03-01"),
        ("2024-03-20T09:00Z", "this Christmas", "2024-12-25", "2024-12-26"),
        ("2024-01-05T09:00Z", "this October", "2024-10-01", "2024-11-01"),
        ("2024-01-05T09:00Z", "this summer", "2024-06-01", "2024-09-01"),
        ("2024-06-15T09:00Z", "this winter", "2024-12-01", "2025-03-01"),
        ("2024-09-20T09:00Z", "this summer", "2024-06-01", "2024-09-01"),
        ("0001-01-05T09:00Z", "this winter", "0001-12-01", "0002-03-01"),
    ],
)
def test_this_is_the_one_that_was_if_it_has_just_been(now: str, text: str, start: str, end: str) -> None:
    (found,) = find_times(text, now)
    assert (found.start, found.end) == (to_micros(start), to_micros(end))
