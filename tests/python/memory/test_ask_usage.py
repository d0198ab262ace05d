"""What questions cost is counted, however they end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from llm_faults import Fault, slow
from scripted_llm import Asked, ScriptedLLM, no_pause

from memspan.errors import LLMError
from memspan.llm import OpenAIModel
from memspan.memory import Memory


@pytest.fixture
def asking(open_memory: Callable[..., Memory], server: ScriptedLLM) -> Iterator[Memory]:
    with OpenAIModel("scripted", base_url=server.url, sleep=no_pause, retries=2) as model:
        memory = open_memory(llm=model)
        memory.add(
            [{"id": "t3", "speaker": "Ana", "text": "I moved to Lisbon."}], user="ana", at="2023-06-01"
        )
        yield memory


@pytest.mark.parametrize("tokens", [-1, 10**30, "7", None])
def test_an_answer_is_not_lost_by_tokens_that_cannot_be(
    asking: Memory, server: ScriptedLLM, tokens: Any
) -> None:
    reply = {
        "choices": [{"message": {"content": '{"answer": "Lisbon.", "sources": [1]}'}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": tokens},
    }
    server.misbehave(Fault(name="odd usage", body=json.dumps(reply).encode()))

    assert asking.ask("Where does Ana live?", user="ana").text == "Lisbon."
    (entry,) = asking.usage()
    assert (entry.usage.calls, entry.usage.uncounted, entry.usage.prompt_tokens) == (1, 1, 0)


@pytest.mark.parametrize(("plan", "stage"), [("rules", "answer"), ("model", "plan")])
def test_what_a_cancelled_question_had_cost_is_counted(
    asking: Memory, server: ScriptedLLM, plan: str, stage: str
) -> None:
    server.misbehave(slow(3600))

    async def main() -> None:
        task = asyncio.ensure_future(asking.aask("Where did I move?", user="ana", plan=plan, plan_ms=600_000))
        while not (server.asked or task.done()):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    (entry,) = asking.usage()
    assert (entry.stage, entry.usage.calls, entry.usage.uncounted) == (stage, 1, 1)


@pytest.mark.parametrize("streamed", [False, True])
def test_the_error_of_an_answer_says_what_the_plan_had_cost(
    asking: Memory, server: ScriptedLLM, streamed: bool
) -> None:
    def refuse(asked: Asked, number: int) -> Fault | None:
        return None if asked.task == "plan" else Fault(name="no", status=403)

    server.schedule = refuse
    ask: Callable[..., Any] = asking.stream_answer if streamed else asking.ask
    with pytest.raises(LLMError) as raised:
        list(ask("Where did I move?", user="ana", plan="model"))
    (entry,) = asking.usage(by=["stage"])
    assert entry.stage == "plan"
    assert raised.value.usage == entry.usage


def test_what_an_interrupted_question_had_cost_is_counted_when_it_ends(
    asking: Memory, server: ScriptedLLM
) -> None:
    def interrupt(asked: Asked, number: int) -> Fault:
        os.kill(os.getpid(), signal.SIGINT)
        return slow(3600)

    server.schedule = interrupt
    with pytest.raises(KeyboardInterrupt):
        asking.ask("Where did I move?", user="ana", plan="rules")
    (entry,) = asking.usage()
    assert (entry.stage, entry.usage.calls, entry.usage.uncounted) == ("answer", 1, 1)
