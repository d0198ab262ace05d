"""What is new to sleep does not depend on clocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from llm_faults import status
from rules_lightmem import rewrite
from scripted_llm import ScriptedLLM, no_pause
from sleepy_facts import FACTS, fact, facts

from memspan import Memory, Record
from memspan.embed import HashEmbedder
from memspan.lifecycle.merging.duplicates import Merging
from memspan.lifecycle.sleep.update import SleepUpdate
from memspan.lifecycle.staleness import StalenessPolicy
from memspan.llm.client import OpenAIModel
from memspan.recipes import Recipe

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
DAY = 86_400 * 10**9
BICYCLE = "Ana owns a red bicycle made in Italy."
SLEEPY = Recipe(name="sleepy", summary="for tests", sleep=SleepUpdate(least=0.5))
Set = Callable[[float], None]


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Set:
    """Sets the clock so many days from the real time."""
    off, real = [0.0], time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + int(off[0] * DAY))
    return lambda days: off.__setitem__(0, days)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.memspan", "hash:64", auto_consolidate=False) as opened:
        yield opened


@pytest.fixture
def sleepy(tmp_path: Path, server: ScriptedLLM) -> Iterator[Memory]:
    with (
        OpenAIModel("scripted", base_url=server.url, retries=1, sleep=no_pause) as model,
        Memory(
            tmp_path / "b.memspan", HashEmbedder(dim=256), llm=model, recipe=SLEEPY, auto_consolidate=False
        ) as opened,
    ):
        opened.add_records(facts("ana"))
        yield opened


def bicycle(id_: str, **fields: Any) -> Record:
    return Record(id=id_, user="ana", text=BICYCLE, at=START, kind="semantic", **fields)


def merged(memory: Memory) -> tuple[int, int]:
    report = memory.consolidate("ana").upkeep
    assert report is not None
    return report.merged, report.compared


@pytest.mark.parametrize("days", [(0, -10, 0), (10, 0, 0), (10, 0, 20), (0, -10, -10)])
def test_a_clock_that_was_set_back_hides_nothing(
    memory: Memory, set_clock: Set, days: tuple[float, float, float]
) -> None:
    set_clock(days[0])
    memory.add_records([bicycle("a"), Record(id="c", user="ana", text="Tea.", at=START, kind="semantic")])
    assert merged(memory)[0] == 0
    set_clock(days[1])
    memory.add_records([bicycle("b")])
    set_clock(days[2])
    assert merged(memory)[0] == 1
    assert merged(memory) == (0, 0)


def test_memories_that_say_they_were_learnt_long_ago_are_new(memory: Memory) -> None:
    memory.add_records([bicycle("a")])
    merged(memory)
    memory.add_records([bicycle("b", recorded_at=START)])
    assert merged(memory)[0] == 1


def test_what_was_undone_is_not_done_again_beside_something_older(memory: Memory, set_clock: Set) -> None:
    memory.add_records([bicycle("a"), bicycle("b")])
    report = memory.consolidate("ana").upkeep
    assert report is not None
    (run,) = report.runs
    memory.undo(run)
    assert merged(memory) == (0, 0)
    set_clock(-10)
    memory.add_records([Record(id="t", user="ana", text="Tea.", at=START, kind="semantic")])
    assert merged(memory) == (0, 3)
    memory.add_records([bicycle("c", speaker="ben")])
    assert merged(memory)[0] == 0


def test_what_was_merged_is_not_compared_again(memory: Memory) -> None:
    memory.add_records([bicycle("a", sources=("s",)), bicycle("b", sources=("t",))])
    assert merged(memory) == (1, 2)
    assert merged(memory) == (0, 0)


@pytest.mark.parametrize("options", [{}, {"learn": False}, {"seconds": 0.0}], ids=str)
def test_nor_by_another_handle(memory: Memory, tmp_path: Path, options: dict[str, Any]) -> None:
    memory.add_records([bicycle("a"), Record(id="c", user="ana", text="Tea.", at=START, kind="semantic")])
    with Memory(tmp_path / "a.memspan", "hash:64", auto_consolidate=False) as other:
        first = memory.consolidate("ana", **options).upkeep
        assert first is not None
        assert (first.merged, first.compared) == (0, 2), "that nothing was found is kept, too"
        assert first.runs == ()
        assert merged(other) == (0, 0)
        memory.add_records([bicycle("b")])
        assert merged(other) == (1, 3)
    assert merged(memory) == (0, 0)


@pytest.mark.parametrize(
    "options",
    [
        {"merge": Merging(least=0.99)},
        {"staleness": StalenessPolicy(prune_above=0.5)},
        {"staleness": StalenessPolicy(prune_above=0.5), "merge": False},
    ],
    ids=["other settings", "pruning", "only pruning"],
)
def test_nor_after_a_sleep_that_did_something_else(memory: Memory, options: dict[str, Any]) -> None:
    memory.add_records([bicycle("old")])
    memory.add([{"text": text, "kind": "semantic"} for text in ("Tea.", "A long walk.")], user="ana")
    assert merged(memory) == (0, 3)
    memory.consolidate("ana", **options)
    assert len(memory.evicted(user="ana")) == ("staleness" in options)
    assert merged(memory) == (0, 0)
    for _ in range(3):
        memory.consolidate("ana", **options)
        merged(memory)
    with memory._engine.store.reading() as reader:
        assert len(reader.runs.runs(user="ana")) == 2, "no more are kept than are of use"


def asked(memory: Memory) -> int:
    report = memory.consolidate("ana", merge=False).sleep
    assert report is not None
    return report.queues


@pytest.mark.parametrize("days", [(0, -10, 0), (10, 0, 0), (10, 0, 20)])
def test_a_model_is_asked_about_what_came_while_the_clock_was_wrong(
    sleepy: Memory, set_clock: Set, days: tuple[float, float, float]
) -> None:
    set_clock(days[0])
    assert asked(sleepy) > 0
    asked(sleepy)
    assert asked(sleepy) == 0
    set_clock(days[1])
    sleepy.add_records([fact("new", "Ana bought a saw no longer.", 20)])
    set_clock(days[2])
    assert asked(sleepy) > 0


def test_a_model_is_not_asked_again_about_what_was_only_touched(sleepy: Memory) -> None:
    asked(sleepy)
    asked(sleepy)
    ids = [hit.id for hit in sleepy.latest(user="ana", k=50)]
    sleepy.pin(user="ana", ids=ids)
    sleepy.unpin(user="ana", ids=ids)
    sleepy.tag("ana")
    sleepy.set_lifetime("semantic", 1e6)
    assert asked(sleepy) == 0


def test_what_was_undone_is_not_asked_again(sleepy: Memory, server: ScriptedLLM) -> None:
    server.rules["update"] = rewrite
    asked(sleepy)
    (run,) = sleepy.runs("ana")
    assert asked(sleepy) > 0, "what the first one made is new"
    assert len(sleepy.runs("ana")) == 2
    for later in sleepy.runs("ana"):
        if later.id != run.id:
            sleepy.undo(later.id)
    sleepy.undo(run.id)
    assert {hit.record.text for hit in sleepy.latest(user="ana", k=50)} == set(FACTS)
    assert asked(sleepy) == 0


def test_what_was_not_decided_stays_open(sleepy: Memory, server: ScriptedLLM) -> None:
    server.schedule = lambda asked, number: status(503)
    first = asked(sleepy)
    server.schedule = lambda asked, number: None
    assert asked(sleepy) == first > 0
