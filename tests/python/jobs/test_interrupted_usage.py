"""What a model was paid counts also when nobody wants the answer any more."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator

import pytest
from llm_faults import FAULTS, Fault, slow
from scripted_llm import Asked, ScriptedLLM, no_pause
from tiny_recipe import COST, NoteTurns, ScriptedModel, note_fact, recipe_of
from waiting import wait_for

from memspan.llm import OpenAIModel, Prompt
from memspan.memory import Memory

Open = Callable[..., Memory]


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM({"note": lambda asked: {"facts": [note_fact(asked.user)]}}) as running:
        yield running


@pytest.fixture
def client(server: ScriptedLLM) -> Iterator[OpenAIModel]:
    with OpenAIModel("scripted", base_url=server.url, api_key_variable=None, sleep=no_pause) as opened:
        yield opened


def test_requests_under_way_when_processing_is_cancelled(
    open_memory: Open, server: ScriptedLLM, client: OpenAIModel
) -> None:
    server.schedule = lambda asked, number: slow(3600)
    memory = open_memory(llm=client, recipe=recipe_of(NoteTurns()))
    memory.add([f"text {number}" for number in range(5)], user="ana")

    async def run() -> None:
        task = asyncio.create_task(memory.aprocess())
        while len(server.asked) < 5 and not task.done():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    (entry,) = memory.usage()
    assert (entry.stage, entry.usage.calls, entry.usage.uncounted) == ("note", 5, 5)
    assert [(job.state, job.attempts) for job in memory.jobs()] == [("pending", 0)]


def test_a_loop_that_ends_before_processing_does(
    open_memory: Open, server: ScriptedLLM, client: OpenAIModel, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever cancels twice does not wait for the end, which comes while the loop stops."""
    server.schedule = lambda asked, number: slow(3600)
    memory = open_memory(llm=client, recipe=recipe_of(NoteTurns()))
    memory.add("text", user="ana")
    loop = asyncio.new_event_loop()

    async def run() -> None:
        task = asyncio.ensure_future(memory.aprocess())
        while not server.asked:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    loop.run_until_complete(run())
    wait_for(lambda: [job.state for job in memory.jobs()] == ["pending"])
    memory.close()
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()
    gc.collect()
    assert caplog.messages == []


def test_an_answer_to_a_job_that_was_forgotten_meanwhile(open_memory: Open, model: ScriptedModel) -> None:
    def forget(prompt: Prompt) -> None:
        if prompt.user == "one":
            memory.forget(user="ana", id="m1")

    model.misbehave = forget
    memory = open_memory(recipe=recipe_of(NoteTurns()))
    memory.add([{"id": "m1", "text": "one"}, {"id": "m2", "text": "two"}], user="ana")
    report = memory.process()
    assert report.done == 1
    calls = sum(model.answered.values())
    assert memory.usage(by=())[0].usage.calls == report.usage.calls == calls * COST.calls


def test_an_answer_before_a_correction_that_is_not_wanted_any_more(
    open_memory: Open, server: ScriptedLLM, client: OpenAIModel
) -> None:
    def forget(asked: Asked, number: int) -> Fault | None:
        if asked.user != "one":
            return None
        memory.forget(user="ana", id="m1")
        return FAULTS["prose"]

    server.schedule = forget
    memory = open_memory(llm=client, recipe=recipe_of(NoteTurns()))
    memory.add([{"id": "m1", "text": "one"}], user="ana")
    memory.add([{"id": "m2", "text": "two"}], user="ana", session="s")
    assert memory.process().done == 1
    assert [asked.user for asked in server.asked].count("one") == 1
    assert memory.usage(by=())[0].usage.calls == 2
