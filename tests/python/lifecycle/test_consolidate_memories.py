"""`Memory.consolidate` with a model: what the update in sleep does to a store, what it costs and when it asks."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from llm_faults import FAULTS, status
from rules_lightmem import rewrite
from scripted_llm import ScriptedLLM, no_pause
from sleepy_facts import FACTS, LEFT, START, fact, facts

from memspan import Memory, Record, SleepReport
from memspan.embed import CallableEmbedder, HashEmbedder
from memspan.errors import EmbedderError, InvalidArgumentError, JobError
from memspan.lifecycle.sleep.update import SleepUpdate
from memspan.llm.client import OpenAIModel
from memspan.recipes import Recipe

LATER = START + timedelta(days=30)
SLEEPY = Recipe(name="sleepy", summary="for tests", sleep=SleepUpdate(least=0.5))
Open = Callable[..., Memory]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.memspan"


@pytest.fixture
def client(server: ScriptedLLM) -> Iterator[OpenAIModel]:
    with OpenAIModel("scripted", base_url=server.url, retries=1, sleep=no_pause) as opened:
        yield opened


@pytest.fixture
def open_memory(path: Path, client: OpenAIModel) -> Iterator[Open]:
    opened: list[Memory] = []

    def open_one(embedder: Any = None, **options: Any) -> Memory:
        chosen = {"llm": client, "recipe": SLEEPY, "auto_consolidate": False, **options}
        opened.append(Memory(path, embedder or HashEmbedder(dim=256), **chosen))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    filled = open_memory()
    filled.add_records([*facts("ana"), *facts("bob")])
    return filled


def held(memory: Memory, user: str = "ana") -> set[str]:
    """What is true in the end."""
    return {one.text for one in memory.search("Ana", user=user, k=50, valid_at=LATER)}


def state(memory: Memory) -> list[Any]:
    with memory._engine.store.reading() as reader:
        records = [(one.user, one.id, one.text, one.until) for page in reader.scan(None, 99) for one in page]
        return sorted(records) + [reader.slept(user) for user in reader.users()]


def slept(memory: Memory, user: str | None = None, **options: Any) -> SleepReport:
    report = memory.consolidate(user, merge=False, **options)
    assert report.sleep is not None
    assert memory.verify() == []
    return report.sleep


def changes(report: SleepReport) -> tuple[int, int, int]:
    return report.merged, report.updated, report.retired


def test_one_call_puts_memories_in_order_and_lays_out_the_index(memory: Memory, server: ScriptedLLM) -> None:
    before = datetime.now(timezone.utc)
    report = memory.consolidate("ana", merge=False)

    assert report.users == 1
    assert memory.stats("ana")["records"] == len(FACTS) + 1, "the merged one"
    done = report.sleep
    assert done is not None
    assert (done.users, done.memories, changes(done)) == (1, len(FACTS), (1, 1, 1))
    assert (done.skipped, done.undecided, done.reason) == (0, 0, None)
    assert done.queues == done.usage.calls == len(server.exchanges)
    assert held(memory) == LEFT
    assert held(memory, "bob") == set(FACTS), "users are apart"
    as_of = {one.text for one in memory.search("Ana", user="ana", k=50, as_of=before)}
    assert as_of >= set(FACTS), "what ended is still what was known before"
    assert memory.verify() == []


def test_usage_is_counted(memory: Memory) -> None:
    done = slept(memory, "ana")
    (entry,) = memory.usage(user="ana", by=("recipe", "stage", "model"))
    assert (entry.recipe, entry.stage, entry.model) == ("sleepy", "sleep", "scripted-1")
    assert entry.usage == done.usage
    assert done.usage.prompt_tokens > 0
    assert memory.usage(user="bob") == []


def test_all_users(memory: Memory) -> None:
    done = slept(memory)
    assert (done.users, changes(done)) == (2, (2, 2, 2))
    assert held(memory) == held(memory, "bob") == LEFT


def test_without_news_nothing_is_asked(memory: Memory, open_memory: Open, server: ScriptedLLM) -> None:
    slept(memory)
    # What it made itself is news once, then everything is settled.
    slept(memory)
    asked = len(server.asked)
    assert slept(memory).queues == 0
    memory.close()
    memory = open_memory()
    assert slept(memory).queues == 0
    assert len(server.asked) == asked

    memory.add_records([fact("new", "Ana bought a saw no longer.", 20)])
    assert slept(memory, "bob").queues == 0
    done = slept(memory, "ana")
    assert done.retired == 1
    assert len(server.asked) == asked + done.queues
    assert FACTS[6] not in held(memory)


def test_other_settings_look_at_everything_again(memory: Memory) -> None:
    slept(memory)
    slept(memory)
    assert slept(memory, update=SleepUpdate(least=0.999)).queues == 0
    assert slept(memory, update=SleepUpdate(least=0.1)).queues > 0


@pytest.mark.parametrize("fault", [status(503), FAULTS["prose"], FAULTS["truncated"]])
def test_a_model_that_always_fails_changes_nothing(memory: Memory, server: ScriptedLLM, fault: Any) -> None:
    server.schedule = lambda asked, number: fault
    before = state(memory)
    done = slept(memory, "ana")
    assert (done.undecided, changes(done)) == (done.queues, (0, 0, 0))
    assert done.queues > 0
    assert done.reason
    assert state(memory) == before
    if done.usage.calls:
        assert memory.usage(user="ana", by=())[0].usage == done.usage, "what was spent is counted"

    server.schedule = lambda asked, number: None
    assert changes(slept(memory, "ana")) == (1, 1, 1)


def test_what_was_not_decided_is_asked_again_and_nothing_else(memory: Memory, server: ScriptedLLM) -> None:
    slept(memory)
    slept(memory)
    memory.add_records([fact("saw", "Ana bought a saw no longer.", 20)])
    memory.add_records([fact("dog", "Ben has a dog.", 21), fact("dog2", "Ben has a dog no longer.", 22)])
    server.schedule = lambda asked, number: status(503) if "saw" in asked.data["memory"][0]["text"] else None
    first = slept(memory, "ana")
    assert first.undecided >= 1
    assert first.queues > first.undecided
    assert "Ben has a dog." not in held(memory)

    server.schedule = lambda asked, number: None
    asked = len(server.asked)
    again = slept(memory, "ana")
    assert again.queues == first.undecided
    assert all("saw" in one.data["memory"][0]["text"] for one in server.asked[asked:])
    assert again.retired == 1


def made(memory: Memory, action: str) -> Record:
    (found,) = [
        one.record for one in memory.latest(user="ana", k=50) if one.record.metadata.get("action") == action
    ]
    return found


def test_forgetting_what_was_merged_forgets_the_merged_memory(memory: Memory, server: ScriptedLLM) -> None:
    server.rules["update"] = rewrite
    slept(memory, "ana")
    merged, rewritten = made(memory, "merge"), made(memory, "update")
    assert set(merged.metadata["replaces"]) == {"f0", "f1"}
    memory.forget(user="ana", source="turn-f0")
    assert memory.get(user="ana", id="f0") is None
    assert memory.get(user="ana", id=merged.id) is None
    assert memory.get(user="ana", id="f1") is not None, "it has another source"
    memory.forget(user="ana", source="turn-f3")
    assert memory.get(user="ana", id=rewritten.id) is None, "what a memory was rewritten by counts as well"
    assert memory.verify() == []


def test_forgetting_a_user_forgets_that_it_slept(memory: Memory) -> None:
    slept(memory)
    memory.forget(user="ana")
    with memory._engine.store.reading() as reader:
        assert reader.slept("ana") is None
        assert reader.slept("bob") is not None
        keys = [key for (key,) in reader._all("SELECT key FROM meta") if key.startswith("slept/")]
    assert len(keys) == 1
    memory.add_records(facts())
    assert changes(slept(memory, "ana")) == (1, 1, 1)


def test_nobody_and_nothing(memory: Memory, open_memory: Open) -> None:
    done = slept(memory, "nobody")
    assert (done.users, done.memories, done.queues) == (1, 0, 0)
    assert memory.users() == ["ana", "bob"]


def test_only_who_has_a_model_and_wants_an_update_sleeps(
    memory: Memory, open_memory: Open, server: ScriptedLLM
) -> None:
    assert memory.consolidate(merge=False, update=False).sleep is None
    memory.close()
    plain = open_memory(recipe="verbatim")
    assert plain.consolidate(merge=False).sleep is None
    assert server.asked == []
    assert plain.consolidate("ana", merge=False, update=True).sleep is not None, "with the paper's settings"
    assert changes(slept(plain, "ana", update=SleepUpdate(least=0.5)))
    plain.close()
    without = open_memory(llm=None)
    assert without.consolidate(merge=False).sleep is None
    assert without._processing._thread is None
    for update in (True, SleepUpdate()):
        with pytest.raises(JobError, match="llm="):
            without.consolidate(update=update)
        with pytest.raises(JobError, match="llm="):
            asyncio.run(without.aconsolidate(update=update))
    with pytest.raises(InvalidArgumentError, match="update"):
        without.consolidate(update="yes")  # type: ignore[arg-type]


def test_bound_and_asynchronous_forms(memory: Memory) -> None:
    ana, bob = memory.user("ana"), memory.user("bob")
    first = ana.consolidate(merge=False, progress=True).sleep
    assert first is not None
    assert changes(first) == (1, 1, 1)
    assert held(memory, "bob") == set(FACTS)
    second = asyncio.run(bob.aconsolidate(merge=False, update=SleepUpdate(least=0.5))).sleep
    assert second is not None
    assert changes(second) == (1, 1, 1)
    assert asyncio.run(memory.aconsolidate(merge=False, update=False)).sleep is None


def test_a_cancelled_task_changes_nothing(memory: Memory, server: ScriptedLLM) -> None:
    before = state(memory)

    async def cancel() -> None:
        server.schedule = lambda asked, number: FAULTS["slow"]
        task = asyncio.create_task(memory.aconsolidate("ana", merge=False))
        while not server.asked:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert state(memory) == before
    server.schedule = lambda asked, number: None
    assert changes(slept(memory, "ana")) == (1, 1, 1)


def test_an_embedder_that_fails_leaves_its_user_alone(open_memory: Open) -> None:
    good, broken = HashEmbedder(dim=256), False

    def fragile(texts: Any) -> Any:
        if broken:
            raise EmbedderError("away")
        return good.embed_documents(texts)

    memory = open_memory(CallableEmbedder(fragile, checksum="1"))
    memory.add_records(facts())
    before, broken = state(memory), True
    with pytest.raises(EmbedderError):
        memory.consolidate("ana", merge=False)
    assert state(memory) == before
    assert memory.usage(user="ana", by=())[0].usage.calls > 0, "the model was paid for"
    broken = False
    assert changes(slept(memory, "ana")) == (1, 1, 1)


def _sleep_and_die(path: Path, url: str, when: str) -> None:
    """Die while the model is asked, inside the transaction of the changes, or right after it."""
    from memspan.lifecycle.sleep import applying, running

    def die(*arguments: Any, **options: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    if when == "inside":
        applying.write_records = die
    elif when == "after":
        running._end = die  # type: ignore[assignment]
    with (
        OpenAIModel("scripted", base_url=url) as model,
        Memory(path, HashEmbedder(dim=256), llm=model, recipe=SLEEPY) as memory,
    ):
        memory.consolidate("ana", merge=False)


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
@pytest.mark.parametrize("when", ["inside", "after"])
def test_killed_at_the_worst_moment(
    memory: Memory, open_memory: Open, server: ScriptedLLM, when: str
) -> None:
    memory.close()
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=_sleep_and_die, args=(memory._engine.store.path, server.url, when))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL

    memory = open_memory()
    assert held(memory) == (set(FACTS) if when == "inside" else LEFT)
    for _ in range(2):
        slept(memory)
    assert held(memory) == held(memory, "bob") == LEFT
    assert slept(memory).queues == 0
