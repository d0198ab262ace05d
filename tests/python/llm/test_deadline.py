"""What a call had cost that was not done in time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from llm_faults import Fault, slow
from pydantic import BaseModel
from scripted_llm import ScriptedLLM

from memspan.errors import LLMError
from memspan.llm import OpenAIModel, Prompt, Reply, Usage
from memspan.llm.deadline import Late, spent_by, within

PROMPT = Prompt(name="echo", version=1, system="Task: echo", user="word")


class Said(BaseModel):
    word: str


async def reply(wait: float) -> Reply[Said]:
    await asyncio.sleep(wait)
    return Reply(value=Said(word="a"), model="m", usage=Usage(calls=1, prompt_tokens=7))


def test_what_is_done_in_time_comes_through() -> None:
    found = asyncio.run(within(5, reply(0)))
    assert not isinstance(found, Late)
    assert found.value.word == "a"

    async def broken() -> None:
        raise LLMError("broken")

    with pytest.raises(LLMError, match="broken"):
        asyncio.run(within(5, broken()))


def test_a_client_that_does_not_say_is_one_uncounted_call() -> None:
    assert asyncio.run(within(0.01, reply(30))) == Late(Usage(calls=1, uncounted=1))


def test_an_answer_in_the_last_moment_is_too_late_and_paid_for() -> None:
    async def stubborn() -> Reply[Said]:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            return await reply(0)
        raise AssertionError

    assert asyncio.run(within(0.01, stubborn())) == Late(Usage(calls=1, prompt_tokens=7))

    async def failing() -> Reply[Said]:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            error = LLMError("late")
            error.usage = Usage(calls=2)
            raise error from None
        raise AssertionError

    assert asyncio.run(within(0.01, failing())) == Late(Usage(calls=2))


def test_cancelling_the_caller_cancels_the_call() -> None:
    ended = []

    async def long() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.append(True)

    async def main() -> None:
        task = asyncio.ensure_future(within(30, long()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)

    asyncio.run(main())
    assert ended == [True]


@pytest.mark.parametrize(
    ("before", "calls", "uncounted"),
    [
        pytest.param([], 1, 1, id="one request is with the server"),
        pytest.param([Fault(name="prose", text=lambda said: "no JSON")], 2, 1, id="it is being corrected"),
    ],
)
def test_the_client_says_what_a_cancelled_call_had_cost(
    before: list[Fault], calls: int, uncounted: int
) -> None:
    with ScriptedLLM({"echo": lambda asked: {"word": "a"}}) as server:
        server.misbehave(*before, slow(30))
        with OpenAIModel("m", base_url=server.url) as model:
            found = asyncio.run(within(1.0, model.acomplete(PROMPT, Said, stage="echo")))
    assert isinstance(found, Late)
    assert (found.usage.calls, found.usage.uncounted) == (calls, uncounted)
    assert (found.usage.prompt_tokens > 0) == (calls > uncounted)


def test_a_call_that_waits_for_its_turn_cost_nothing() -> None:
    with ScriptedLLM({"echo": lambda asked: {"word": "a"}}) as server:
        server.misbehave(slow(30))
        with OpenAIModel("m", base_url=server.url, concurrency=1) as model:

            async def main() -> Any:
                first = asyncio.ensure_future(within(1.0, model.acomplete(PROMPT, Said, stage="echo")))
                await asyncio.sleep(0.3)
                second = await within(0.2, model.acomplete(PROMPT, Said, stage="echo"))
                await first
                return second

            assert asyncio.run(main()) == Late(Usage())


def test_who_is_cancelled_says_what_the_call_had_cost() -> None:
    with ScriptedLLM({"echo": lambda asked: {"word": "a"}}) as server:
        server.misbehave(Fault(name="prose", text=lambda said: "no JSON"), slow(3600))
        with OpenAIModel("m", base_url=server.url) as model:

            async def main() -> Usage | None:
                task = asyncio.ensure_future(within(3600, model.acomplete(PROMPT, Said, stage="echo")))
                while len(server.asked) < 2 and not task.done():
                    await asyncio.sleep(0.01)
                task.cancel()
                with pytest.raises(asyncio.CancelledError) as raised:
                    await task
                return spent_by(raised.value)

            usage = asyncio.run(main())
    assert usage is not None
    assert (usage.calls, usage.uncounted) == (2, 1)
