"""`Memory.consolidate` puts what a recipe made in order, with the model's client and a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from llm_faults import FAULTS
from scripted_llm import ScriptedLLM, all_rules

from memspan.lifecycle.sleep import SleepUpdate
from memspan.llm import OpenAIModel
from memspan.memory import Memory
from memspan.recipes import recipe
from memspan.records import Record

Open = Callable[..., Memory]
START = datetime(2023, 5, 1, tzinfo=timezone.utc)
FACTS = (
    "Ana drinks green tea in the morning.",
    "ana drinks green tea in the morning",
    "Ana's exam in Porto is on 14 June.",
    "Ana's exam in Porto was moved to 21 June.",
    "Ana bought a saw.",
)


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM(all_rules()) as running:
        yield running


@pytest.fixture
def client(server: ScriptedLLM) -> Iterator[OpenAIModel]:
    async def at_once(seconds: float) -> None:
        """Pauses are not waited for."""

    with OpenAIModel(
        "scripted", base_url=server.url, api_key_variable=None, retries=1, sleep=at_once
    ) as opened:
        yield opened


def fill(memory: Memory, *users: str) -> None:
    memory.add_records(
        Record(
            id=f"f{i}",
            user=user,
            text=text,
            at=START + timedelta(days=i),
            kind="semantic",
            sources=(f"t{i}",),
            metadata={"recipe": "lightmem"},
        )
        for user in users
        for i, text in enumerate(FACTS)
    )


def sleeping() -> object:
    return replace(recipe("lightmem"), sleep=SleepUpdate(least=0.5))


def test_memories_are_put_in_order_once(open_memory: Open, server: ScriptedLLM, client: OpenAIModel) -> None:
    memory = open_memory(recipe=sleeping(), llm=client)
    fill(memory, "ana", "ben")
    report = memory.consolidate("ana")
    slept = report.slept
    assert slept is not None
    assert (slept.users, slept.memories, slept.merged, slept.updated) == (1, 5, 1, 1)
    assert slept.queues == slept.usage.calls == len(server.asked)
    (entry,) = memory.usage()
    assert (entry.recipe, entry.stage, entry.usage) == ("lightmem", "sleep", slept.usage)
    assert memory.usage(user="ben") == []
    now = START + timedelta(days=30)
    texts = {found.text for found in memory.search("Ana", user="ana", k=50, valid_at=now)}
    assert FACTS[0] not in texts
    again = memory.user("ana").consolidate().slept
    assert again is not None
    everybody = memory.consolidate().slept
    assert everybody is not None
    assert (everybody.users, everybody.merged, everybody.updated) == (2, 1, 1)
    memory.consolidate()  # looks at what the last one made
    asked = len(server.asked)
    assert memory.consolidate().slept is not None
    assert len(server.asked) == asked, "nothing is new"
    assert memory.verify() == []
    memory.forget(user="ana")
    with memory._engine.store.reading() as reader:
        assert reader.jobs.slept("ana") is None
        assert reader.jobs.slept("ben") is not None


def test_a_user_whose_calls_failed_is_looked_at_again(
    open_memory: Open, server: ScriptedLLM, client: OpenAIModel
) -> None:
    memory = open_memory(recipe=sleeping(), llm=client)
    fill(memory, "ana")
    server.schedule = lambda asked, number: FAULTS["status 503"]
    failed = memory.consolidate().slept
    assert failed is not None
    assert (failed.merged, failed.updated) == (0, 0)
    server.schedule = lambda asked, number: None
    slept = memory.consolidate().slept
    assert slept is not None
    assert (slept.merged, slept.updated) == (1, 1)


def test_without_a_model_or_an_update_only_the_layout_changes(open_memory: Open) -> None:
    for options in ({"llm": None, "recipe": sleeping()}, {}):
        memory = open_memory(**options)
        fill(memory, "ana")
        assert memory.consolidate("ana").slept is None
        memory.close()
