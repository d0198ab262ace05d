"""Who is said to have ended whom, found by either name; and what parked jobs and kinds in the cold tier cost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from counted_steps import counting, steps

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.runs import RunChange

Make = Callable[..., Record]
MANY = 2_000


def ended(make_record: Make, id_: str, by: Any, **fields: Any) -> Record:
    return make_record(id_, metadata={"ended": {"action": "supersede", "by": by}}, **fields)


def test_what_others_ended_costs_an_erasure_nothing(store: SqliteStore, make_record: Make) -> None:
    """Expiry erases in slices, each of which looked at all that had ended."""

    def erase() -> int:
        with store.writing() as writer:
            writer.put([ended(make_record, "old", ["new"]), make_record("new")])
            with counting(writer._connection) as taken:
                assert writer.traces.mentioning("ana", ["new", "other"]) == {"old"}
                writer.traces.erase("ana", ["new", "other"])
        return len(taken)

    erase()
    before = erase()
    with store.writing() as writer:
        writer.put([ended(make_record, f"m{number}", [f"n{number}"]) for number in range(MANY)])
        writer.cold.evict([ended(make_record, f"c{number}", [f"n{number}"]) for number in range(MANY)], 1)
        writer.runs.begin("ana", "run", "merge", 1)
        text = json.dumps({"metadata": {"ended": {"by": ["m1"]}}})
        writer.runs.note("run", [RunChange(f"m{number}", text, None, None) for number in range(MANY)])
    assert erase() <= before + 20


def test_names_are_found_wherever_they_lie_and_go_with_either(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put([ended(make_record, id_, ["x\0y", "z"]) for id_ in ("a", "b", "cold")])
        for by in ("text", 7, {"x": 1}, [3, "x\0y"]):
            writer.put([ended(make_record, "own", by)])
        writer.put([ended(make_record, "bens", ["x\0y"], user="ben")])
        writer.cold.evict([ended(make_record, "cold", ["x\0y", "z"])], 1)
        assert writer.traces.mentioning("ana", ["x\0y"]) == {"a", "b", "own"}
        assert writer.traces.mentioning("ana", ["text", "x"]) == set()
        writer.traces.erase("ana", ["x\0y"])
        assert dict(writer.cold.fetch("ana", ["cold"])["cold"].record.metadata["ended"])["by"] == ["z"]
        writer.traces.erase("ana", ["cold"])
        rows = writer._all("SELECT u.name, e.name, record FROM endings e JOIN users u ON u.pk = user_pk")
        assert sorted(rows) == [("ana", "z", "a"), ("ana", "z", "b"), ("ben", "x\0y", "bens")]
        writer.remove_user("ben")
        assert len(writer._all("SELECT * FROM endings")) == 2


def test_a_record_that_says_something_else_now_is_not_found(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put([ended(make_record, "a", ["x"])])
        writer.put([make_record("a")])
        assert writer.traces.mentioning("ana", ["x"]) == set()


def test_parked_jobs_are_found_without_those_that_are_done(store: SqliteStore) -> None:
    def park(writer: Any) -> None:
        writer.jobs.enqueue("ana", [("s", "m1")], "tiny", 1)
        (job,) = writer.jobs.claim("me", "ana", 1, 2, lambda recipe: 0)
        writer.jobs.fail(job, "no", None, [])

    def retry() -> int:
        with store.writing() as writer:
            with counting(writer._connection) as taken:
                assert writer.jobs.retry("ana", None, 3) == writer.jobs.retry(None, None, 3) + 1 == 1
            (job,) = writer.jobs.claim("me", "ana", 1, 4, lambda recipe: 0)
            writer.jobs.fail(job, "no", None, [])
        return len(taken)

    def costs() -> list[int]:
        reads = [
            steps(store, lambda reader, state=state, user=user: reader.jobs.jobs(user, state))
            for state in ("parked", "pending", "running")
            for user in ("ana", None)
        ]
        return [retry(), *reads]

    with store.writing() as writer:
        writer.lifetimes.set_lifetime("ana", "semantic", 60)
        park(writer)
    costs()
    before = costs()
    with store.writing() as writer:
        writer.jobs.enqueue("ana", [(f"s{number}", "m1") for number in range(MANY)], "tiny", 1)
        writer._connection.execute("UPDATE jobs SET state = 'done' WHERE state = 'pending'")
    after = costs()
    assert all(now <= then + 20 for now, then in zip(after, before, strict=True)), (before, after)
    with store.reading() as reader:
        assert len(reader.jobs.jobs(state="done")) == MANY
        assert [job.state for job in reader.jobs.jobs("ana", "parked")] == ["parked"]


def test_a_kind_in_the_cold_tier_is_found_without_the_others(store: SqliteStore, make_record: Make) -> None:
    def cost() -> int:
        reads = [
            lambda reader: reader.cold.latest("ana", 5, ["resource"]),
            lambda reader: reader.cold.latest("ana", 5, ["vault", "semantic"]),
            lambda reader: reader.cold.of_kind("ana", "semantic"),
        ]
        return sum(steps(store, read) for read in reads)

    with store.writing() as writer:
        writer.cold.evict([make_record("first", kind="semantic")], 1)
    before = cost()
    with store.writing() as writer:
        for start in range(0, MANY, 500):
            writer.cold.evict([make_record(f"m{start + number}") for number in range(500)], 2)
        writer.cold.evict([make_record("fact", kind="semantic"), make_record("how", kind="procedural")], 3)
    assert cost() <= before + 40
    with store.reading() as reader:
        latest = reader.cold.latest("ana", 3, ["semantic", "procedural", "procedural"])
        assert [one.record.id for one in latest] == ["how", "fact", "first"]
        assert [one.record.id for one in reader.cold.latest("ana", 1, ["semantic"])] == ["fact"]
        assert reader.cold.latest("ana", 3, []) == []
        assert len(reader.cold.latest("ana", 9, ["episodic"])) == 9


def test_a_store_of_version_12_knows_who_ended_whom(path: Path, make_record: Make) -> None:
    store = SqliteStore(path)
    with store.writing() as writer:
        writer.put([ended(make_record, "a", ["x\0y", 7]), ended(make_record, "own", "x"), make_record("b")])
        writer.cold.evict([ended(make_record, "cold", ["z"])], 1)
        writer.runs.begin("ana", "run", "merge", 1)
        before = json.dumps({"metadata": {"ended": {"by": ["w"]}}})
        writer.runs.note("run", [RunChange("b", before, None, None), RunChange("c", None, None, None)])
        rows = [("w", "b"), ("x\0y", "a"), ("z", "cold")]
        connection = writer._connection
        connection.execute("UPDATE records SET metadata = '{\"ended\": ' WHERE id = 'b'")
        connection.execute("DROP TABLE endings")
        for index in ("jobs_parked", "cold_by_kind"):
            connection.execute(f"DROP INDEX {index}")
        connection.execute("PRAGMA user_version = 12")
    store.close()
    store = SqliteStore(path)
    with store.reading() as reader:
        found = set(reader._all("SELECT name, record FROM endings"))  # type: ignore[attr-defined]
        assert found.issuperset(rows)
        assert found.difference(rows) <= {("x", "own")}
        assert reader.traces.mentioning("ana", ["x\0y", "x"]) == {"a"}
        with pytest.raises(sqlite3.DatabaseError, match="malformed"):
            reader.traces.mentioning("ana", ["w"])
    store.close()
