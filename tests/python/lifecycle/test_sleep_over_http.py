"""Sleep with the model's client and a real server, which also misbehaves; and what it cost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llm_faults import FAULTS, Fault, slow, status
from scripted_llm import ScriptedLLM, no_pause
from sleepy_facts import FACTS, LEFT, START, facts

from memspan import InvalidArgumentError, Memory
from memspan.embed import HashEmbedder
from memspan.lifecycle.direct_tools import DirectTools
from memspan.lifecycle.merging.duplicates import Merging
from memspan.lifecycle.sleep.update import SleepUpdate, Slept
from memspan.llm import Usage
from memspan.llm.client import OpenAIModel


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.memspan", HashEmbedder(dim=256), auto_consolidate=False) as opened:
        opened.add_records([*facts("ana"), *facts("bob")])
        yield opened


def slept(memory: Memory, server: ScriptedLLM) -> tuple[Slept, DirectTools]:
    with OpenAIModel("scripted-1", base_url=server.url, sleep=no_pause, retries=2) as model:
        tools = DirectTools(model, "sleep")
        done = asyncio.run(SleepUpdate(least=0.5).run(memory._engine, "ana", tools, model=model.model))
    return done, tools


def texts(memory: Memory, user: str, **more: Any) -> set[str]:
    now = START + timedelta(days=30)
    return {one.text for one in memory.search("Ana", user=user, k=50, valid_at=now, **more)}


def test_memories_are_put_in_order(memory: Memory, server: ScriptedLLM) -> None:
    done, tools = slept(memory, server)

    assert (done.applied.merged, done.applied.updated, done.applied.retired) == (1, 1, 1)
    assert texts(memory, "ana") == LEFT
    assert texts(memory, "bob") == set(FACTS)
    assert done.queues == tools.usage.calls == len(server.asked)
    assert tools.usage.prompt_tokens > 0
    assert server.troubles == []
    assert memory.verify() == []


@pytest.mark.parametrize(
    "fault", ["prose", "trailing comma", "invalid json", "wrong schema", "status 429", "hang up"]
)
def test_what_a_server_does_wrong_once_changes_nothing(
    memory: Memory, server: ScriptedLLM, fault: str
) -> None:
    server.misbehave(FAULTS[fault])
    done, tools = slept(memory, server)
    assert (done.applied.merged, done.applied.updated, done.applied.retired) == (1, 1, 1)
    assert [note["event"] for note in tools.notes] == ["decided"] * 3


@pytest.mark.parametrize("fault", ["hallucinated ids", "injected", "empty lists", "status 503", "truncated"])
def test_a_model_that_is_always_wrong_loses_no_memory(
    memory: Memory, server: ScriptedLLM, fault: str
) -> None:
    server.schedule = lambda asked, number: FAULTS[fault]
    done, tools = slept(memory, server)

    with memory._engine.store.reading() as reader:
        assert {record.text for page in reader.scan("ana", 99) for record in page} >= set(FACTS)
    assert texts(memory, "bob") == set(FACTS)
    if fault in ("status 503", "truncated"):
        assert done.applied.skipped == done.applied.merged == 0
        assert len(tools.notes) == done.queues
        assert texts(memory, "ana") == set(FACTS)


@pytest.mark.parametrize(("refusal", "most"), [(status(503), 20), (status(401), 12)])
def test_a_server_that_is_gone_is_not_asked_about_everybody(
    tmp_path: Path, server: ScriptedLLM, refusal: Fault, most: int
) -> None:
    server.schedule = lambda asked, number: refusal
    options: dict[str, Any] = {"sleep": no_pause, "retries": 0, "concurrency": 1}
    with (
        OpenAIModel("scripted-1", base_url=server.url, **options) as model,
        Memory(tmp_path / "m.memspan", HashEmbedder(dim=256), llm=model, auto_consolidate=False) as memory,
    ):
        for user in "abcdefghijkl":
            memory.add_records(facts(user))
        report = memory.consolidate(merge=False, update=SleepUpdate(least=0.5)).sleep
        assert report is not None
        assert report.undecided == report.queues > most
        assert f"HTTP {refusal.status}" in str(report.reason)
        assert len(server.asked) <= most
        server.schedule = lambda asked, number: None
        again = memory.consolidate(merge=False, update=SleepUpdate(least=0.5)).sleep
        assert again is not None
        assert (again.queues, again.undecided) == (report.queues, 0)


def test_a_server_that_refuses_some_texts_is_asked_about_the_others(
    tmp_path: Path, server: ScriptedLLM
) -> None:
    server.schedule = lambda asked, number: status(403) if "sister" in asked.user else None
    options: dict[str, Any] = {"sleep": no_pause, "retries": 1, "concurrency": 1}
    with (
        OpenAIModel("scripted-1", base_url=server.url, **options) as model,
        Memory(tmp_path / "m.memspan", HashEmbedder(dim=256), llm=model, auto_consolidate=False) as memory,
    ):
        for user in "abcdefgh":
            memory.add_records(facts(user))
        report = memory.consolidate(merge=False, update=SleepUpdate(least=0.5)).sleep
        assert report is not None
        assert report.undecided == 8
        assert report.queues > report.undecided
        assert len(server.asked) == report.queues


def test_direct_tools_keep_nothing() -> None:
    async def use() -> None:
        made = 0

        async def make() -> list[int]:
            nonlocal made
            made += 1
            return [made]

        tools = DirectTools(None, "sleep")  # type: ignore[arg-type]
        assert [await tools.once("key", make), await tools.once("key", make)] == [[1], [2]]
        assert await tools.tags() == []
        tools.note("told", ids=["a"])
        assert tools.notes == [{"event": "told", "ids": ["a"]}]
        with pytest.raises(InvalidArgumentError):
            await tools.embed(["text"])

    asyncio.run(use())


def test_what_an_interrupted_sleep_had_cost_is_counted(memory: Memory, server: ScriptedLLM) -> None:
    server.schedule = lambda asked, number: slow(3600)
    with OpenAIModel("scripted-1", base_url=server.url, sleep=no_pause) as model:
        tools = DirectTools(model, "sleep")

        async def main() -> None:
            asleep = SleepUpdate(least=0.5).run(memory._engine, "ana", tools, model=model.model)
            task = asyncio.ensure_future(asleep)
            while not (server.asked or task.done()):
                await asyncio.sleep(0.01)
            asked.append(len(server.asked))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asked: list[int] = []
        asyncio.run(main())
    assert tools.usage.calls == tools.usage.uncounted >= asked[0] > 0


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_what_is_forgotten_while_it_sleeps_is_not_sent(
    memory: Memory, server: ScriptedLLM, when: str
) -> None:
    target = memory.get(user="ana", id="f0")
    assert target is not None

    def forget() -> None:
        memory.forget(user="ana", id="f0")

    def schedule(asked: Any, number: int) -> Fault | None:
        if when == "before" or number > 0:
            return None
        forget()
        return status(503)

    class Forgetful(SleepUpdate):
        def queues(self, *arguments: Any, **more: Any) -> Any:
            found = super().queues(*arguments, **more)
            forget()
            return found

    server.schedule = schedule
    update = (Forgetful if when == "before" else SleepUpdate)(least=0.5)
    options: dict[str, Any] = {"sleep": no_pause, "retries": 2, "concurrency": 1}
    with OpenAIModel("scripted-1", base_url=server.url, **options) as model:
        tools = DirectTools(model, "sleep")
        asyncio.run(update.run(memory._engine, "ana", tools, model=model.model))

    sent = [target.text in asked.user for asked in server.asked]
    assert not any(sent[1:] if when == "meanwhile" else sent)
    assert "no decision" in {note["event"] for note in tools.notes}
    assert sum(sent) < len(sent)


def test_settings_may_come_from_arrays_and_generators(tmp_path: Path, server: ScriptedLLM) -> None:
    settings: dict[str, Any] = {"least": np.float32(0.5), "queue": np.int64(10)}
    merging = Merging(least=np.float32(0.9), kinds=(kind for kind in ("semantic",)))  # type: ignore[arg-type]
    update = SleepUpdate(kinds=(kind for kind in ("semantic",)), **settings)  # type: ignore[arg-type]
    with (
        OpenAIModel("scripted-1", base_url=server.url, sleep=no_pause) as model,
        Memory(tmp_path / "m.memspan", HashEmbedder(dim=256), llm=model, auto_consolidate=False) as memory,
    ):
        memory.add_records(facts("ana"))
        first = memory.consolidate("ana", merge=merging, update=update)
        assert first.sleep is not None
        assert first.sleep.queues > 0
        again = memory.consolidate(
            "ana", merge=Merging(least=float(np.float32(0.9))), update=SleepUpdate(least=0.5)
        )
        assert again.sleep is not None
        assert again.sleep.queues < first.sleep.queues, "with the same settings"


def test_a_client_that_breaks_leaves_no_request_behind(memory: Memory) -> None:
    class Broken:
        model = "broken"
        begun = ended = 0

        async def acomplete(self, prompt: Any, schema: Any, *, stage: str) -> Any:
            self.begun += 1
            if self.begun == 3:
                raise RuntimeError("the client is broken")
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError as error:
                self.ended += 1
                error.usage = Usage(calls=1, uncounted=1)  # type: ignore[attr-defined]
                raise

    model = Broken()
    tools = DirectTools(model, "sleep")

    async def main() -> None:
        with pytest.raises(RuntimeError, match="broken"):
            await SleepUpdate(least=0.5).run(memory._engine, "ana", tools)
        assert model.ended == model.begun - 1 == 2
        assert tools.usage.calls == 2

    asyncio.run(main())
    assert texts(memory, "ana") == set(FACTS)
