"""Slots of the model, handed out to jobs in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tiny_recipe import Custom, NoteTurns, ScriptedModel, recipe_of

from memspan.encode.values import Work
from memspan.memory import Memory
from memspan.remember.jobs.slots import Slots


class Crowd:
    """Questions that wait for slots; each is `begun` when it has one, and ends when it is told to."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self.begun: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, *questions: str) -> None:
        """Named by the job's letter and a number."""
        for question in questions:
            self._ends[question] = asyncio.Event()
            self.tasks[question] = asyncio.create_task(self._one(question))
            await asyncio.sleep(0)

    async def _one(self, question: str) -> None:
        async with self._slots.of(question[0]):
            self.begun.append(question)
            await self._ends[question].wait()

    async def end(self, *questions: str) -> None:
        for question in questions:
            self._ends[question].set()
            await self.tasks[question]
            await asyncio.sleep(0)


def test_waiting_jobs_take_turns() -> None:
    async def main() -> None:
        crowd = Crowd(Slots(2))
        await crowd.ask("a1", "a2", "a3", "a4", "b1", "b2", "c1")
        assert crowd.begun == ["a1", "a2"]
        await crowd.end("a1", "a2", "a3", "b1", "c1", "a4", "b2")
        assert crowd.begun == ["a1", "a2", "a3", "b1", "c1", "a4", "b2"]
        await crowd.ask("a5", "a6", "a7")
        assert crowd.begun[7:] == ["a5", "a6"], "all slots are free again"
        await crowd.end("a5", "a6", "a7")

    asyncio.run(main())


def test_a_cancelled_question_takes_no_slot_along() -> None:
    async def main() -> None:
        crowd = Crowd(Slots(1))
        await crowd.ask("a1", "b1", "b2", "c1")
        crowd.tasks["b1"].cancel()
        await asyncio.sleep(0)
        await crowd.end("a1")
        assert crowd.begun == ["a1", "c1"] or crowd.begun == ["a1", "b2"]
        crowd.tasks[crowd.begun[-1]].cancel()  # one that has its slot
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert set(crowd.begun) == {"a1", "b2", "c1"}
        await crowd.ask("d1")
        crowd._ends[crowd.begun[-1]].set()
        crowd.tasks["d1"].cancel()  # at the moment at which it gets one
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await crowd.ask("e1")
        assert crowd.begun[-1] == "e1"
        await crowd.end("e1")

    asyncio.run(main())


def test_a_job_with_many_questions_keeps_none_from_another(
    open_memory: Callable[..., Memory], model: ScriptedModel
) -> None:
    async def note(work: Work, tools: Any) -> Work:
        while len(work.turns) == 1 and not model.asked:
            await asyncio.sleep(0)
        return await NoteTurns().run(work, tools)

    memory = open_memory(recipe=recipe_of(Custom(do=note)))
    memory.add([{"text": f"many {number}"} for number in range(40)], user="ana", session="large")
    memory.add("a single one", user="ana", session="small")
    memory.process(jobs_in_flight=2)
    order = [text for _, text in model.asked]
    assert order.index("a single one") < 10
