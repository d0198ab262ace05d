"""Slots of the model, handed out to jobs in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable

import pytest
from tiny_recipe import NoteTurns, ScriptedModel, recipe_of

from memspan.llm import Prompt
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
    open_memory: Callable[..., Memory], model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking: list[Hashable] = []
    given: list[Hashable] = []
    take = Slots._take

    async def noted(slots: Slots, job: Hashable) -> None:
        asking.append(job)
        await take(slots, job)
        given.append(job)

    async def until_both_ask(prompt: Prompt) -> None:
        while len(asking) < 41:
            await asyncio.sleep(0.001)

    monkeypatch.setattr(Slots, "_take", noted)
    model.misbehave = until_both_ask
    memory = open_memory(recipe=recipe_of(NoteTurns()))
    memory.add([{"text": f"many {number}"} for number in range(40)], user="ana", session="large")
    memory.add("a single one", user="ana", session="small")
    memory.process(jobs_in_flight=2)
    (small,) = (job for job in set(given) if given.count(job) == 1)
    assert len(given) == 41
    assert given.index(small) <= 3
