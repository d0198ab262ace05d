"""What is forgotten while jobs run is sent to no model afterwards, and no cache keeps an answer about it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from llm_faults import FAULTS, Fault, status
from scripted_llm import Asked, ScriptedLLM, no_pause
from tiny_recipe import Custom, Facts, ScriptedModel, note_fact, prompt_for, recipe_of

from memspan.encode.compression.compress import Compress
from memspan.encode.compression.cross_entropy import CrossEntropy
from memspan.encode.values import Work
from memspan.llm import OpenAIModel, Prompt
from memspan.llm.logprobs import TokenLogProb
from memspan.memory import Memory

SECRET = "Wolfsbane"
Open = Callable[..., Memory]


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM({"note": lambda asked: {"facts": [note_fact(asked.user)]}}) as running:
        yield running


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "replies"


@pytest.fixture
def client(server: ScriptedLLM, cache: Path) -> Iterator[OpenAIModel]:
    options: dict[str, Any] = {"api_key_variable": None, "sleep": no_pause, "cache": cache}
    with OpenAIModel("scripted", base_url=server.url, **options) as opened:
        yield opened


async def ask_in_order(work: Work, tools: Any) -> Work:
    for turn in work.turns:
        await tools.ask(turn.id, prompt_for(turn), Facts)
    return work


def kept(cache: Path) -> list[str]:
    """What the cache of replies holds."""
    connection = sqlite3.connect(cache)
    rows = [text for (text,) in connection.execute("SELECT text FROM replies")]
    connection.close()
    return rows


def asked_about(server: ScriptedLLM) -> list[str]:
    return [asked.user for asked in server.asked]


def test_before_it_is_asked(open_memory: Open, server: ScriptedLLM, client: OpenAIModel, cache: Path) -> None:
    async def ask(work: Work, tools: Any) -> Work:
        if any(turn.id == "m1" for turn in work.turns):
            memory.forget(user="ana", id="m1")
        return await ask_in_order(work, tools)

    memory = open_memory(llm=client, recipe=recipe_of(Custom(do=ask)))
    memory.add([{"id": "m1", "text": SECRET}, {"id": "m2", "text": "harmless"}], user="ana")
    report = memory.process()
    assert (report.done, report.failed) == (1, 0), "with the turn that is left"
    assert asked_about(server) == ["harmless"]
    assert [SECRET in text for text in kept(cache)] == [False]


def test_while_it_waits_for_its_turn(open_memory: Open, model: ScriptedModel) -> None:
    waiting = asyncio.Event()

    async def ask(work: Work, tools: Any) -> Work:
        if work.user == "ben":
            while not model.asked:
                await asyncio.sleep(0)
            waiting.set()
        return await ask_in_order(work, tools)

    async def forget(prompt: Prompt) -> None:
        await waiting.wait()
        memory.forget(user="ben")

    model.misbehave = forget
    memory = open_memory(recipe=recipe_of(Custom(do=ask)))
    memory.add("harmless", user="ana")
    memory.add(SECRET, user="ben")
    report = memory.process(jobs_in_flight=1)
    assert (report.done, report.failed, report.waiting) == (1, 0, 0)
    assert set(model.asked) == {("note", "harmless")}


@pytest.mark.parametrize("fault", [status(503), FAULTS["prose"]], ids=["retry", "correction"])
def test_before_it_is_asked_again(
    open_memory: Open, server: ScriptedLLM, client: OpenAIModel, cache: Path, fault: Fault
) -> None:
    def forget(asked: Asked, number: int) -> Fault | None:
        if asked.user != SECRET:
            return None
        memory.forget(user="ana", id="m1")
        return fault

    server.schedule = forget
    memory = open_memory(llm=client, recipe=recipe_of(Custom(do=ask_in_order)))
    memory.add([{"id": "m1", "text": SECRET}, {"id": "m2", "text": "harmless"}], user="ana")
    assert memory.process().done == 1
    assert asked_about(server).count(SECRET) == 1
    assert not any(SECRET in text for text in kept(cache))


def test_before_a_scorer_sends_it(open_memory: Open) -> None:
    class Slow:
        """Forgets one of two turns while it has the other."""

        async def alogprobs(self, text: str) -> list[TokenLogProb]:
            sent.append(text)
            if len(sent) == 1:
                memory.forget(user="ana", id="m2" if text.startswith("one") else "m1")
            return [TokenLogProb(0, len(text), -1.0)]

    async def compress(work: Work, tools: Any) -> Work:
        return await Compress(scorer=CrossEntropy(model=Slow(), concurrency=1)).run(work, tools)

    sent: list[str] = []
    memory = open_memory(recipe=recipe_of(Custom(do=compress)))
    texts = {"m1": "one long turn of Ana about the sea", "m2": "another long turn of Ana about the hills"}
    memory.add([{"id": id_, "text": text} for id_, text in texts.items()], user="ana")
    assert memory.process().done == 1
    assert len(set(sent)) == 1


def test_before_the_embedder_gets_it(open_memory: Open) -> None:
    async def embed(work: Work, tools: Any) -> Work:
        texts = [turn.text for turn in work.turns]
        if SECRET in texts:
            memory.forget(user="ana", id="m1")
        await tools.embed(texts)
        embedded.extend(texts)
        return replace(work, statements=())

    embedded: list[str] = []
    memory = open_memory(recipe=recipe_of(Custom(do=embed)))
    memory.add([{"id": "m1", "text": SECRET}, {"id": "m2", "text": "harmless"}], user="ana")
    assert memory.process().done == 1
    assert embedded == ["harmless"]
