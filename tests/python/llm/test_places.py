"""How many requests are with a server at once, against servers that we compute."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable

import pytest

from memspan.llm.places import FIRST, MOST, Places


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def run(
    seconds: Callable[[int], float],
    *,
    requests: int = 3000,
    callers: int = 64,
    refuses: Callable[[int], bool] = lambda at_once: False,
    most: int = MOST,
    adapts: bool = True,
) -> tuple[Places, list[int]]:
    """Ask a server whose reply takes `seconds(requests under way)`; returns the places and their number over time."""
    clock = Clock()
    places = Places(most, adapts=adapts, clock=clock)
    levels: list[int] = []
    ends: list[tuple[float, int, asyncio.Future[None]]] = []
    count = 0

    async def caller() -> None:
        nonlocal count
        while count < requests:
            count += 1
            number = count
            trial = await places.take()
            at_once = len(ends) + 1
            future = asyncio.get_running_loop().create_future()
            heapq.heappush(ends, (clock.now + seconds(at_once), number, future))
            await future
            refused = refuses(at_once)
            places.leave(trial, replied=not refused, overloaded=refused)
            levels.append(places.level)

    async def main() -> None:
        tasks = [asyncio.ensure_future(caller()) for _ in range(callers)]
        while not all(task.done() for task in tasks):
            for _ in range(5):
                await asyncio.sleep(0)
            if ends:
                at, _, future = heapq.heappop(ends)
                clock.now = max(clock.now, at)
                future.set_result(None)
        await asyncio.gather(*tasks)

    asyncio.run(main())
    return places, levels


def usual(levels: list[int]) -> int:
    """What most of the later requests met."""
    later = levels[len(levels) // 2 :]
    return max(set(later), key=later.count)


def test_a_server_that_serves_them_side_by_side_gets_them_all() -> None:
    places, levels = run(lambda at_once: 0.1)
    assert levels[0] == FIRST
    assert places.level == MOST
    assert levels.index(MOST) < 700


@pytest.mark.parametrize("slots", [1, 4, 8])
def test_a_server_with_few_slots_is_not_flooded(slots: int) -> None:
    _, levels = run(lambda at_once: 0.1 * max(1.0, at_once / slots))
    assert usual(levels) == FIRST
    assert max(levels) <= 12


def test_a_server_with_more_slots_gets_about_so_many() -> None:
    _, levels = run(lambda at_once: 0.1 * max(1.0, at_once / 27))
    assert usual(levels) in (27, 40)


def test_a_server_that_refuses_gets_fewer_and_more_is_tried_again() -> None:
    _, levels = run(lambda at_once: 0.1, refuses=lambda at_once: at_once > 4, requests=4000)
    assert min(levels) >= 2
    assert max(levels[200:]) <= 6
    assert {4, 6} <= set(levels[200:])


def test_one_burst_of_refusals_counts_once() -> None:
    async def burst() -> list[int]:
        places = Places(MOST, adapts=True, clock=Clock())
        trials = [await places.take() for _ in range(FIRST)]
        found = []
        for trial in trials:
            places.leave(trial, replied=False, overloaded=True)
            found.append(places.level)
        return found

    assert asyncio.run(burst()) == [FIRST // 2] * FIRST


def test_few_requests_say_nothing() -> None:
    _, levels = run(lambda at_once: 0.1, callers=3)
    assert set(levels) == {FIRST}


def test_a_given_number_stays() -> None:
    places, levels = run(lambda at_once: 0.1, most=5, adapts=False, refuses=lambda at_once: True)
    assert set(levels) == {5}
    assert places.level == 5


def test_who_is_cancelled_leaves_no_hole() -> None:
    async def main() -> None:
        places = Places(1, adapts=False, clock=Clock())
        first = await places.take()
        waiting = [asyncio.ensure_future(places.take()) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        places.leave(first, replied=True)  # lets the second in
        waiting[1].cancel()  # at the very moment
        assert await waiting[2] == first
        for task in waiting[:2]:
            with pytest.raises(asyncio.CancelledError):
                await task
        places.leave(first, replied=True)
        await asyncio.wait_for(places.take(), 1)

    asyncio.run(main())
