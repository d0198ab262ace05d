"""Random misbehaviour: an answer is the right one or an error, nothing hangs, and every call is counted."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest
from llm_faults import FAULTS, Fault
from pydantic import BaseModel
from scripted_llm import Asked, ScriptedLLM

from memspan.errors import LLMError
from memspan.llm import OpenAIModel, Prompt, Usage

UNNOTICED = {"empty lists", "hallucinated ids", "injected"}
"""What only a stage can notice: the reply is of the right form."""


class Items(BaseModel):
    items: list[str]


@pytest.mark.parametrize("seed", range(6))
def test_an_answer_is_right_or_an_error(
    model_of: Callable[..., OpenAIModel],
    server: ScriptedLLM,
    prompt_of: Callable[[list[str]], Prompt],
    seed: int,
) -> None:
    chance = random.Random(seed)
    faults = [fault for name, fault in FAULTS.items() if name not in UNNOTICED]
    answered = [0]

    def schedule(asked: Asked, number: int) -> Fault | None:
        fault = chance.choice(faults) if chance.random() < 0.4 else None
        whole = fault is None or (fault.status == 200 and fault.sent == 1.0 and fault.body is None)
        if asked.mode not in server.refused and whole:
            answered[0] += 1
        return fault

    server.schedule = schedule
    server.refused = set(chance.sample(["json_schema", "json_object"], chance.randint(0, 2)))
    model = model_of(server, retries=3, concurrency=5)

    async def one(number: int) -> tuple[bool, Usage]:
        try:
            reply = await model.acomplete(prompt_of([f"a{number}", "b"]), Items, stage="test")
        except LLMError as error:
            return False, error.usage or Usage()
        assert reply.value.items == [f"A{number}", "B"]
        return True, reply.usage

    async def run() -> list[tuple[bool, Usage]]:
        return await asyncio.gather(*(one(number) for number in range(40)))

    results = asyncio.run(asyncio.wait_for(run(), 120))

    assert sum(good for good, _ in results) >= 20
    assert sum(usage.calls for _, usage in results) == answered[0]
    assert server.most_at_once <= 5
