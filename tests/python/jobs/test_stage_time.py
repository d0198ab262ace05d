"""Stages that hang outside the model's client."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tiny_recipe import Custom, NoteTurns, ScriptedModel, one_job, prompt_for, recipe_of
from tiny_recipe import Facts as Said

from memspan.memory import Memory
from memspan.remember.jobs.pace import Pace

Open = Callable[..., Memory]
HURRY = Pace(attempts=2, first_pause=0.001, growth=1.0, lease=5.0, poll=0.02, stage=0.2)


def test_a_stage_that_does_nothing_is_given_up(open_memory: Open) -> None:
    ended = threading.Event()

    async def hang(work: Any, tools: Any) -> Any:
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()

    memory = open_memory(HURRY, recipe=recipe_of(Custom(do=hang)))
    memory.add("a", user="ana")
    report = memory.process()
    assert (report.done, report.failed, report.parked) == (0, 2, 1)
    reason = one_job(memory).reason
    assert reason is not None
    assert "stage 'custom' neither asked a model nor got a result for 0.2 s" in reason
    assert ended.is_set()


def test_other_jobs_go_on_beside_it(open_memory: Open) -> None:
    async def hang(work: Any, tools: Any) -> Any:
        if work.turns[0].text == "hang":
            await asyncio.sleep(600)
        return work

    memory = open_memory(HURRY, recipe=recipe_of(Custom(do=hang), NoteTurns()))
    for number, text in enumerate(["hang", "a", "b"]):
        memory.add(text, user="ana", session=str(number))
    report = memory.process()
    assert (report.done, report.parked) == (2, 1)


def test_a_slow_model_is_its_clients_affair(open_memory: Open, model: ScriptedModel) -> None:
    model.seconds = 0.5
    memory = open_memory(HURRY)
    memory.add("a", user="ana")
    assert memory.process().done == 1


def test_a_stage_that_gets_on_has_time(open_memory: Open) -> None:
    async def steps(work: Any, tools: Any) -> Any:
        async def some() -> int:
            await asyncio.sleep(0.12)
            return 1

        for number in range(4):
            await tools.once(str(number), some)
        return work

    memory = open_memory(HURRY, recipe=recipe_of(Custom(do=steps)))
    memory.add("a", user="ana")
    assert memory.process().done == 1


def test_what_is_made_once_can_hang_too(open_memory: Open) -> None:
    async def once(work: Any, tools: Any) -> Any:
        async def never() -> int:
            await asyncio.sleep(600)
            return 1

        await tools.once("x", never)

    memory = open_memory(HURRY, recipe=recipe_of(Custom(do=once)))
    memory.add("a", user="ana")
    assert memory.process().parked == 1


def test_a_stage_that_will_not_end_is_left_behind(open_memory: Open, monkeypatch: Any) -> None:
    monkeypatch.setattr("memspan.remember.jobs.run._ENDING", 0.05)
    free = threading.Event()

    async def stubborn(work: Any, tools: Any) -> Any:
        while not free.is_set():
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0.02)
        await tools.ask("late", prompt_for(work.turns[0]), Said)

    memory = open_memory(replace(HURRY, attempts=1), recipe=recipe_of(Custom(do=stubborn)))
    memory.add("a", user="ana")
    try:
        assert memory.process().parked == 1
    finally:
        free.set()
