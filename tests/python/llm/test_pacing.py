"""Requests at once and tokens a minute, with a clock of our own."""

from __future__ import annotations

import asyncio
from typing import Any

from memspan.llm.pacing import Pace


def pace_of(clock: Any, concurrency: int = 100, tokens_per_minute: int | None = None) -> Pace:
    return Pace(concurrency=concurrency, tokens_per_minute=tokens_per_minute, clock=clock, sleep=clock.sleep)


async def start_all(pace: Pace, clock: Any, sizes: list[int], actual: int | None = None) -> list[float]:
    """When each request is let through; they end at once."""
    times: list[float] = []

    async def one(size: int) -> None:
        async with pace.slot(size) as slot:
            times.append(clock.now - 1000.0)
            if actual is not None:
                slot.tokens = actual

    await asyncio.gather(*map(one, sizes))
    return times


def test_no_more_requests_than_allowed_at_once(clock: Any) -> None:
    async def run() -> int:
        pace = pace_of(clock, concurrency=3)
        inside = most = 0

        async def one() -> None:
            nonlocal inside, most
            async with pace.slot(1):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*(one() for _ in range(20)))
        return most

    assert asyncio.run(run()) == 3


def test_no_more_tokens_than_allowed_in_any_minute(clock: Any) -> None:
    async def run() -> list[float]:
        return await start_all(pace_of(clock, tokens_per_minute=100), clock, [40, 40, 40, 40, 20, 40])

    assert asyncio.run(run()) == [0, 0, 60, 60, 60, 120]


def test_a_request_above_the_limit_goes_alone(clock: Any) -> None:
    async def run() -> list[float]:
        return await start_all(pace_of(clock, tokens_per_minute=100), clock, [10, 500, 10])

    assert asyncio.run(run()) == [0, 60, 120]


def test_the_real_number_replaces_the_estimate(clock: Any) -> None:
    async def run(actual: int) -> list[float]:
        pace = pace_of(clock, concurrency=1, tokens_per_minute=100)
        clock.now = 1000.0
        return await start_all(pace, clock, [50, 50, 50], actual)

    assert asyncio.run(run(20)) == [0, 0, 0]
    assert asyncio.run(run(90)) == [0, 60, 120]


def test_a_pause_holds_up_everybody(clock: Any) -> None:
    async def run() -> list[float]:
        pace = pace_of(clock)
        pace.pause(7)
        pace.pause(3)
        return await start_all(pace, clock, [1, 1])

    assert asyncio.run(run()) == [7, 7]


def test_a_cancelled_waiter_leaves_its_place(clock: Any) -> None:
    async def run() -> bool:
        pace = pace_of(clock, concurrency=1)
        async with pace.slot(1):
            waiting = asyncio.ensure_future(pace.slot(1).__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await asyncio.wait_for(pace.slot(1).__aenter__(), 30)
        return True

    assert asyncio.run(run())
