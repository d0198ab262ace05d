"""Windows: each turn in one at least, in order, by stride, with the history before it."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from conversations import conversation, work
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from tools import MemoryTools

from memspan.encode.values import Turn, Window
from memspan.encode.windows import Windows
from memspan.errors import InvalidArgumentError


def cut(stage: Windows, turns: tuple[Turn, ...], history: tuple[Turn, ...] = ()) -> tuple[Window, ...]:
    return asyncio.run(stage.run(work(turns, history=history), MemoryTools())).windows


def numbers(turns: tuple[Turn, ...]) -> list[int]:
    return [int(turn.id[1:]) for turn in turns]


def test_by_default_windows_of_twenty_share_a_quarter() -> None:
    windows = cut(Windows(), conversation(50))

    assert [numbers(one.turns)[0] for one in windows] == [0, 15, 30]
    assert [len(one.turns) for one in windows] == [20, 20, 20]
    shared = set(numbers(windows[0].turns)) & set(numbers(windows[1].turns))
    assert len(shared) == 0.25 * 20
    assert numbers(windows[1].history) == [10, 11, 12, 13, 14]


def test_the_other_reading_of_the_paper_steps_by_five() -> None:
    assert [numbers(one.turns)[0] for one in cut(Windows(stride=5), conversation(35))] == [0, 5, 10, 15]


def test_the_first_window_is_shown_what_came_before_the_job() -> None:
    known = conversation(12)

    (window,) = cut(Windows(history=3), known[8:], known[:8])

    assert numbers(window.history) == [5, 6, 7]
    assert numbers(window.turns) == [8, 9, 10, 11]
    assert cut(Windows(history=0), known[8:], known[:8])[0].history == ()


def test_no_turns_make_no_window() -> None:
    assert cut(Windows(), ()) == ()


@PROFILE
@given(
    count=st.integers(0, 60),
    before=st.integers(0, 12),
    size=st.integers(1, 25),
    data=st.data(),
    history=st.integers(0, 8),
)
def test_windows_hold(count: int, before: int, size: int, data: st.DataObject, history: int) -> None:
    stride = data.draw(st.integers(1, size))
    known = conversation(before + count)
    stage = Windows(size=size, stride=stride, history=history)

    windows = cut(stage, known[before:], known[:before])

    places = [numbers(one.turns) for one in windows]
    assert len(windows) == stage.count(count)
    assert {place for some in places for place in some} == set(range(before, before + count))
    for number, (window, some) in enumerate(zip(windows, places, strict=True)):
        assert some == list(range(some[0], some[0] + len(some)))
        assert some[0] == before + number * stride
        assert len(some) == size or number == len(windows) - 1
        assert numbers(window.history) == list(range(max(0, some[0] - history), some[0]))
    for one, other in pairwise(places):
        assert not set(other) <= set(one), "the last window brings something new"


@pytest.mark.parametrize(
    "wrong", [{"size": 0}, {"stride": 0}, {"size": 5, "stride": 6}, {"history": -1}, {"size": True}]
)
def test_parameters_are_checked(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidArgumentError):
        Windows(**wrong)
