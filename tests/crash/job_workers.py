"""What the child processes of the crash tests of jobs run."""

from __future__ import annotations

import asyncio
import json
import os
import random
from pathlib import Path
from typing import Any

from tiny_recipe import ScriptedModel, recipe_of

from memspan import errors
from memspan.llm import LLM, OpenAIModel, Prompt
from memspan.memory import Memory
from memspan.remember.jobs.pace import Pace

SESSIONS = ("s1", "s2", "s3", None)
# The lease outlives the test: dead workers have to be noticed as such.
PACE = Pace(first_pause=0.002, growth=1.5, lease=600.0, poll=0.01)


def open_memory(path: Path, model: LLM) -> Memory:
    memory = Memory(path, "hash:16", llm=model, recipe=recipe_of(history=1))
    memory._processing.pace = PACE
    return memory


def misbehaving(chance: random.Random, rate: float, tell: Any) -> ScriptedModel:
    """Fails, is slow, or answers; tells what it answered."""

    def misbehave(prompt: Prompt) -> Any:
        fate = chance.random()
        if fate < rate / 4:
            raise errors.LLMError("the server hung up")
        if fate < rate / 2:
            raise errors.BadReplyError(f"not JSON: {prompt.user[:20]}")
        if fate < rate * 3 / 4:
            raise errors.TruncatedReplyError("too long") if chance.random() < 0.5 else ValueError("a bug")
        return answer(prompt, 0.03 if fate < rate else 0.0)

    async def answer(prompt: Prompt, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if prompt.name == "note":
            tell("answered", prompt.user)

    return ScriptedModel(misbehave, seconds=0.001)


def at_server(url: str) -> OpenAIModel:
    """The real client; pauses before retries are not waited for."""

    async def at_once(seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.001))

    return OpenAIModel(
        "scripted", base_url=url, api_key_variable=None, timeout=0.3, retries=1, concurrency=8, sleep=at_once
    )


def work_until_killed(
    path: Path, descriptor: int, name: str, seed: int, forgets: bool, url: str | None
) -> None:
    """Tell every change before it starts and after it is acknowledged, through a pipe that outlives the process.

    Args:
        url: of a server that answers, or does not; without one a model in the process does the same.
    """
    chance = random.Random(seed)

    def tell(word: str, value: Any = None) -> None:
        os.write(descriptor, (json.dumps([word, value]) + "\n").encode())

    rate = chance.choice([0.0, 0.2, 0.6])
    model = at_server(url) if url else misbehaving(chance, rate, tell)
    memory = open_memory(path, model)
    if chance.random() < 0.5:
        memory.start_processing(jobs_in_flight=3)
    tell("ready")
    step, mine = 0, []
    while True:
        step += 1
        kind = chance.choices(["add", "process", "forget", "reopen", "retry"], [6, 4, int(forgets), 1, 1])[0]
        if kind == "add":
            session = chance.choice(SESSIONS)
            ids = [f"{name}-{step}-{i}" for i in range(chance.choice([1, 1, 2, 5]))]
            tell("add", ids)
            memory.add([{"id": id_, "text": f"text {id_}"} for id_ in ids], user="ana", session=session)
            tell("done")
            mine += ids
        elif kind == "forget" and mine:
            id_ = mine.pop(chance.randrange(len(mine)))
            tell("forget", id_)
            memory.forget(user="ana", id=id_)
            tell("done")
        elif kind == "process":
            memory.process(limit=chance.choice([1, 3, None]), jobs_in_flight=chance.choice([1, 8]))
        elif kind == "reopen":
            memory.close()
            memory = open_memory(path, model)
        elif kind == "retry":
            memory.retry()
