"""Moments and ids of what comes without them."""

from __future__ import annotations

import pytest

from memspan.remember.input import identifiers
from memspan.remember.input.identifiers import new_id, next_moments

START = 1_900_000_000_000_000
SECOND = 1_000_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the clock says now, to be set."""
    now = [START]
    monkeypatch.setattr(identifiers, "now_micros", lambda: now[0])
    monkeypatch.setattr(identifiers, "_last", 0)
    return now


def test_no_moment_comes_twice(clock: list[int]) -> None:
    assert next_moments(1) == START
    assert next_moments(3) == START + 1
    assert next_moments(2 * SECOND) == START + 4
    clock[0] += 1
    assert next_moments(1) == START + 2 * SECOND + 4
    clock[0] += 3 * SECOND
    assert next_moments(2) == clock[0] - 1


def test_a_clock_that_is_set_back_a_little_is_waited_for(clock: list[int]) -> None:
    assert next_moments(1) == START
    clock[0] -= 5 * SECOND
    assert next_moments(1) == START + 1


@pytest.mark.parametrize("ahead", [11 * SECOND, 30 * 86_400 * SECOND])
def test_a_clock_that_was_ahead_for_a_moment_is_forgotten(clock: list[int], ahead: int) -> None:
    clock[0] += ahead
    before = {new_id() for _ in range(10)}
    clock[0] = START
    assert next_moments(2) == START - 1
    assert next_moments(1) == START + 1
    clock[0] += ahead
    assert before.isdisjoint(new_id() for _ in range(10))
