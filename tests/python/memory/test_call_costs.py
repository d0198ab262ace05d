"""What whole calls cost: steps of SQLite's machine on all connections of a memory, which depend on no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opened_connections import prepare_each_connection

from memspan import Memory, Record
from memspan.embed import HashEmbedder
from memspan.lifecycle.expiring import sweep
from memspan.remember.jobs.finishing import Results, finish
from memspan.store import SqliteStore
from memspan.store.runs import RunChange
from memspan.times import MAX_MICROS, from_micros

MANY = 2_000


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for every ten steps."""
    taken: list[int] = []
    prepare_each_connection(
        monkeypatch, lambda connection: connection.set_progress_handler(lambda: taken.append(0), 10)
    )
    return taken


@pytest.fixture
def memory(tmp_path: Path, taken: list[int]) -> Iterator[Memory]:
    with Memory(tmp_path / "agent.memspan", HashEmbedder(dim=3), auto_consolidate=False) as memory:
        memory.add_records([record(number) for number in range(10)])
        yield memory


def record(number: int, **fields: Any) -> Record:
    made = {"at": from_micros(number), "embedding": np.ones(3, np.float32), "user": "ana", **fields}
    return Record(id=f"m{number}", text=f"text {number}", **made)


def cost(taken: list[int], call: Callable[[], object]) -> int:
    before = len(taken)
    call()
    return len(taken) - before


def test_earlier_runs_cost_a_consolidation_nothing(memory: Memory, taken: list[int]) -> None:
    def consolidate() -> object:
        return memory.consolidate("ana")

    def change(numbers: range) -> None:
        with memory._engine.store.writing() as writer:
            for number in numbers:
                writer.runs.begin("ana", f"run {number}", "supersede", number)
                writer.runs.note(f"run {number}", [RunChange("m1", "{}", None, None)])
                writer.runs.end(f"run {number}", "{}", number)

    change(range(1))
    consolidate()
    before = max(cost(taken, consolidate) for _ in range(3))
    change(range(1, MANY))
    assert cost(taken, consolidate) <= before + 20


def test_what_has_ended_costs_the_history_of_others_nothing(memory: Memory, taken: list[int]) -> None:
    last = "m9"
    for number in range(3):
        last = memory.supersede(user="ana", id=last, text=f"text {number}")
    for id_ in ("m9", last, "m1"):
        memory.history(user="ana", id=id_)  # statements are prepared
    before = [cost(taken, lambda id_=id_: memory.history(user="ana", id=id_)) for id_ in ("m9", last, "m1")]
    others = [record(number) for number in range(10, MANY)]
    memory.add_records(others)
    memory.retire(user="ana", ids=[one.id for one in others])
    after = [cost(taken, lambda id_=id_: memory.history(user="ana", id=id_)) for id_ in ("m9", last, "m1")]
    assert max(one - other for one, other in zip(after, before, strict=True)) <= 20
    found = memory.history(user="ana", id=last)
    assert found is not None
    assert [belief.record.text for belief in found.before] == ["text 9", "text 0", "text 1"]
    found = memory.history(user="ana", id="m9")
    assert found is not None
    assert [belief.record.text for belief in found.after] == ["text 0", "text 1", "text 2"]


def test_other_records_and_users_cost_what_is_forgotten_nothing(
    memory: Memory, taken: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the bytes, for which the files are rewritten."""
    monkeypatch.setattr(SqliteStore, "erase", lambda self: None)

    def add(numbers: range) -> None:
        memory.add_records([record(number, tags=("place", f"place {number}")) for number in numbers])

    add(range(10, 20))
    memory.relate(user="ana", parent="place", child="home")
    memory.relate(user="ana", parent="place 11", child="home")
    memory.forget(user="ana", id="m10")
    before = cost(taken, lambda: memory.forget(user="ana", id="m12"))
    memory.add_records([record(1, user=f"user {number}") for number in range(500)])
    alone = cost(taken, lambda: memory.forget(user="user 8"))
    memory.add_records([record(1, user=f"user {number}") for number in range(500, MANY)])
    add(range(20, MANY))
    assert cost(taken, lambda: memory.forget(user="ana", id="m11")) <= before + 20
    assert cost(taken, lambda: memory.forget(user="user 9")) <= alone + 20
    with memory._engine.store.reading() as reader:
        assert [edge[1:] for edge in reader.relations("ana")] == [("place", "home")]
    assert memory.verify() == []


def test_other_records_cost_the_end_of_a_relation_nothing(memory: Memory, taken: list[int]) -> None:
    def unrelate() -> object:
        return memory.unrelate(user="ana", parent="place", child="home")

    for child in ("home", "work", "garden"):
        memory.relate(user="ana", parent="place", child=child)
    before = cost(taken, unrelate)
    memory.add_records(record(number) for number in range(10, MANY))
    memory.relate(user="ana", parent="place", child="home")
    assert cost(taken, unrelate) <= before + 20


def test_other_records_cost_another_handle_nothing_where_a_relation_ends(
    memory: Memory, taken: list[int], tmp_path: Path
) -> None:
    def cost_elsewhere(child: str) -> int:
        memory.relate(user="ana", parent="place", child=child)
        other.tags("ana")
        assert memory.unrelate(user="ana", parent="place", child=child)
        return cost(taken, lambda: other.tags("ana"))

    with Memory(tmp_path / "agent.memspan", HashEmbedder(dim=3), auto_consolidate=False) as other:
        before = cost_elsewhere("home")
        memory.add_records(record(number) for number in range(10, MANY))
        assert cost_elsewhere("work") <= before + 20
        assert other.tags("ana") == []


@pytest.mark.parametrize("others", ["untouched", "expiring"])
def test_other_records_cost_a_sweep_nothing(memory: Memory, taken: list[int], others: str) -> None:
    """But for the last step, which rewrites the file."""

    def expire(first: int) -> int:
        memory.add_records(record(number, expires_at=from_micros(1)) for number in range(first, first + 10))
        return cost(taken, lambda: sweep(memory._engine, "ana", in_time=lambda: next(times)))

    times = iter([True, False, True, False])
    before = expire(10)
    later = {"expires_at": from_micros(MAX_MICROS)} if others == "expiring" else {}
    memory.add_records(record(number, **later) for number in range(100, MANY))
    assert expire(20) <= before + 20


def test_what_expires_is_erased_in_time_that_grows_as_it_does(memory: Memory, taken: list[int]) -> None:
    def expire(count: int) -> int:
        memory.add_records(record(number, expires_at=from_micros(1)) for number in range(10, 10 + count))
        return cost(taken, lambda: sweep(memory._engine, "ana"))

    few = expire(1_000)
    assert expire(4_000) < 5 * few


def test_earlier_relations_cost_the_end_of_a_job_nothing(memory: Memory, taken: list[int]) -> None:
    def end_a_job(child: str) -> int:
        with memory._engine.changing() as change:
            change.writer.jobs.enqueue("ana", [("s", "m1")], "tiny", 1)
            (job,) = change.writer.jobs.claim("me", "ana", 1, 1, lambda recipe: 0)
            results = Results([], memory._engine.embedder, {}, [("place", child)])
            return cost(taken, lambda: finish(job, results, [], change))

    before = max(end_a_job(child) for child in ("home", "work", "garden"))
    with memory._engine.changing() as change:
        for number in range(MANY):
            change.writer.relate("ana", "room", f"room {number}", made=True)
    assert end_a_job("school") <= before + 20
