"""What reading about one user costs: steps of SQLite's machine, which depend on no clock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counted_steps import Read, counting, steps

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.documents import dump_record
from memspan.store.runs import RunChange
from memspan.store.secrets import SealedSecret
from memspan.store.traces import Chosen
from memspan.store.uses import Use
from memspan.times import from_micros

MANY = 2_000
READS: dict[str, Read] = {
    "endings": lambda reader: reader.beliefs.endings("ana", ["m100", "m104"]),
    "ended": lambda reader: reader.beliefs.ended("ana", ["m7"]),
    "any_ended": lambda reader: reader.beliefs.any_ended("ana", 1),
    "learnt_later": lambda reader: reader.beliefs.learnt_later("ana", 10**15, 5),
    "procedures": lambda reader: reader.transcripts.procedures("ana"),
    "turns": lambda reader: reader.transcripts.turns("ana", 10),
    "pinned": lambda reader: reader.quotas.pinned("ana"),
    "held": lambda reader: reader.traces.held("ana"),
    "expired": lambda reader: reader.lifetimes.expired("ana", 1, 10),
    "expired and kept": lambda reader: reader.lifetimes.expired("ana", 1, 10, kept=True),
    "runs": lambda reader: reader.runs.runs("ana"),
    "jobs": lambda reader: reader.jobs.jobs("ana"),
    "open jobs": lambda reader: reader.jobs.open("ana"),
    "next due job": lambda reader: reader.jobs.next_due("ana", 1),
    "usage": lambda reader: reader.jobs.usage("ana", ("user",)),
    "resources": lambda reader: reader.resources.all("ana"),
    "relations": lambda reader: reader.relations("ana"),
    "made relations": lambda reader: reader.made_relations("ana"),
    "summary": lambda reader: reader.summary("ana"),
    "cold counts": lambda reader: reader.cold.counts("ana"),
    "cold held": lambda reader: reader.cold.held_count("ana"),
    "cold latest": lambda reader: reader.cold.latest("ana", 5),
    "cold expired": lambda reader: reader.cold.expired(9, "ana"),
    "unsourced": lambda reader: reader.cold.unsourced_records("ana"),
}
SUMMED: dict[str, Read] = {
    "extent": lambda reader: reader.extent("ana"),
    "scan": lambda reader: list(reader.scan("ana", 10)),
}
"""Reads that look at all records of the user, but at nobody else's."""


def record(user: str, number: int, **fields: Any) -> Record:
    made: dict[str, Any] = {
        "id": f"m{number}",
        "user": user,
        "text": f"text {number}",
        "at": from_micros(number),
        "recorded_at": from_micros(number),
        "embedding": np.ones(3, np.float32),
    }
    return Record(**{**made, **fields})


def of_state(user: str, number: int) -> Record:
    state: dict[str, Any] = (
        {"retired_at": from_micros(5 + number), "metadata": {"ended": {"action": "supersede", "by": ["m1"]}}},
        {"pinned": True},
        {"held": True},
        {"expires_at": from_micros(10**15 + number)},
        {"kind": "procedural"},
        {"kind": "resource"},
    )[number % 6]
    return record(user, number, **state)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "agent.memspan")
    with store.writing() as writer:
        writer.put([of_state("ana", number) for number in range(24)])
        writer.relate("ana", "place", "home")
    yield store
    store.close()


@pytest.mark.parametrize("name", READS)
def test_records_without_a_state_cost_nothing(store: SqliteStore, name: str) -> None:
    before = steps(store, READS[name])
    with store.writing() as writer:
        writer.put([record("ana", 100 + number) for number in range(MANY)])
    assert steps(store, READS[name]) <= before + 20


@pytest.mark.parametrize("name", READS | SUMMED)
def test_other_users_cost_nothing(store: SqliteStore, name: str) -> None:
    before = steps(store, (READS | SUMMED)[name])
    with store.writing() as writer:
        writer.put([of_state(f"user {number % 50}", number) for number in range(MANY)])
        for number in range(MANY):
            writer.relate("ben", "place", f"room {number}")
            writer.jobs.enqueue("ben", [(f"session {number}", "m1")], "tiny", 1)
    assert steps(store, (READS | SUMMED)[name]) <= before + 20


@pytest.mark.parametrize("name", SUMMED)
def test_the_steps_are_counted(store: SqliteStore, name: str) -> None:
    before = steps(store, SUMMED[name])
    with store.writing() as writer:
        writer.put([record("ana", 100 + number) for number in range(MANY)])
    assert steps(store, SUMMED[name]) > before + MANY / 10


def test_a_scan_looks_at_each_record_once(store: SqliteStore) -> None:
    def scan(reader: Any) -> int:
        return sum(len(page) for page in reader.scan("ana", 10, embeddings=True))

    with store.writing() as writer:
        writer.put([record("ana", 100 + number) for number in range(500)])
    few = steps(store, scan)
    with store.writing() as writer:
        writer.put([record("ana", 600 + number) for number in range(1_500)])
        assert scan(writer) == 24 + 2_000
    assert steps(store, scan) < 5 * few


def test_open_jobs_of_others_cost_a_claim_nothing(store: SqliteStore) -> None:
    def claim() -> int:
        with store.writing() as writer:
            writer.jobs.enqueue("ana", [("s", "m1")], "tiny", 1)
            with counting(writer._connection) as taken:
                claimed = writer.jobs.claim("me", "ana", 9, 1, lambda recipe: 0)
            assert [job.user for job in claimed] == ["ana"]
            writer.jobs.fail(claimed[0], "", None, [])
        return len(taken)

    claim()
    before = claim()
    with store.writing() as writer:
        writer.put([record("ben", 1)])
        for number in range(MANY):
            writer.jobs.enqueue("ben", [(f"session {number}", "m1")], "tiny", 1)
    assert claim() <= before + 20


def test_earlier_runs_cost_the_end_of_a_run_nothing(store: SqliteStore) -> None:
    def run(number: int) -> int:
        with store.writing() as writer:
            id_ = f"run {number}"
            writer.runs.begin("ana", id_, "retire", number)
            writer.runs.note(id_, [RunChange("m1", None, None, None)])
            with counting(writer._connection) as taken:
                writer.runs.end(id_, "{}", number)
        return len(taken)

    before = max(run(number) for number in range(100))
    with store.writing() as writer:
        for number in range(100, MANY):
            writer.runs.begin("ana", f"run {number}", "retire", number)
            writer.runs.note(f"run {number}", [RunChange("m1", None, None, None)])
            writer.runs.end(f"run {number}", "{}", number)
    assert run(MANY) <= before + 20


def test_one_run_and_one_job_are_found_without_the_others(store: SqliteStore) -> None:
    def find(reader: Any) -> None:
        assert [run.id for run in reader.runs.runs(id="run 1")] == ["run 1"]
        assert reader.runs.last("ana", "upkeep").id == "run 1"
        assert [job.id for job in reader.jobs.jobs(id=job_id)] == [job_id]
        assert [job.id for job in reader.jobs.jobs("ana", id=job_id)] == [job_id]

    with store.writing() as writer:
        writer.runs.begin("ana", "run 1", "upkeep", 1)
        writer.runs.end("run 1", "{}", 1)
        writer.jobs.enqueue("ana", [("s", "m1")], "tiny", 1)
        job_id = writer.jobs.jobs("ana")[0].id
    before = steps(store, find)
    with store.writing() as writer:
        for number in range(MANY):
            writer.runs.begin("ana", f"retired {number}", "retire", number)
            writer.jobs.enqueue("ana", [(f"session {number}", "m1")], "tiny", 1)
    assert steps(store, find) <= before + 20


@pytest.mark.parametrize("kinds", [None, ["episodic"]])
def test_what_was_evicted_before_costs_the_last_nothing(store: SqliteStore, kinds: list[str] | None) -> None:
    def evict(numbers: range) -> None:
        with store.writing() as writer:
            records = [record("ana", 100 + number) for number in numbers]
            writer.put(records)
            writer.cold.evict(records, 1)

    def latest(reader: Any) -> int:
        return len(reader.cold.latest("ana", 5, kinds))

    evict(range(20))
    before = steps(store, latest)
    evict(range(20, MANY))
    assert steps(store, latest) <= before + 20


def test_what_lies_in_the_cold_tier_costs_what_has_ended_or_expired_there_nothing(store: SqliteStore) -> None:
    def evict(numbers: range, **fields: Any) -> None:
        with store.writing() as writer:
            away = [record("ana", number, **fields) for number in numbers]
            writer.put(away)
            writer.cold.evict(away, 1)

    def erase() -> int:
        with store.writing() as writer, counting(writer._connection) as taken:
            writer.traces.erase("ana", ["m7"])
        return len(taken)

    ended = {"ended": {"action": "supersede", "by": ["m7"]}}
    evict(range(100, 105), retired_at=from_micros(10**9), metadata=ended, expires_at=from_micros(5))
    read, written = steps(store, READS["endings"]), max(erase() for _ in range(3))
    expired = steps(store, READS["cold expired"])
    evict(range(200, 200 + MANY))
    with store.reading() as reader:
        assert {"m100", "m104"} == {end.id for end in READS["endings"](reader)}
    assert steps(store, READS["endings"]) <= read + 20
    assert erase() <= written + 20
    with store.reading() as reader:
        assert len(READS["cold expired"](reader)) == 5
    assert steps(store, READS["cold expired"]) <= expired + 20


def test_what_runs_could_undo_costs_what_is_forgotten_nothing(store: SqliteStore) -> None:
    def note(numbers: range, **fields: Any) -> None:
        before = dump_record(record("ana", 1, **fields))
        with store.writing() as writer:
            writer.runs.begin("ana", "run", "upkeep", 1)
            writer.runs.note("run", [RunChange(f"m{number}", before, None, None) for number in numbers])

    def erase() -> int:
        with store.writing() as writer:
            writer.put([record("ana", 7), record("ana", 70, id="m7@1", metadata={"version_of": "m7"})])
            with counting(writer._connection) as taken:
                writer.traces.erase("ana", ["m7@1"])
        return len(taken)

    ended = {"ended": {"action": "supersede", "by": ["m8"]}}
    note(range(100, 105), sources=("m8",), metadata=ended)
    before = max(erase() for _ in range(3))
    note(range(200, 200 + MANY))
    assert erase() <= before + 20
    with store.writing() as writer:
        writer.traces.erase("ana", ["m8"])
        assert len(writer.runs.changes("run")) == MANY


def test_secrets_under_a_key_cost_a_look_at_the_keys_nothing(store: SqliteStore) -> None:
    def keys(reader: Any) -> list[str]:
        return reader.secrets.key_ids("ana")  # type: ignore[no-any-return]

    def put(user: str, count: int) -> None:
        with store.writing() as writer:
            made = [SealedSecret(f"s{number}", f"key:{number % 3}", b"", b"") for number in range(count)]
            writer.secrets.put(user, made)

    put("ana", 3)
    before = steps(store, keys)
    put("ana", MANY)
    with store.writing() as writer:
        writer.put([record("ben", 1)])
    put("ben", MANY)
    with store.reading() as reader:
        assert keys(reader) == ["key:0", "key:1", "key:2"]
        assert reader.secrets.key_ids("eve") == []
    assert steps(store, keys) <= before + 20


NEWS: dict[str, Read] = {
    "removals": lambda reader: reader.removals(reader.sequence() - 1),
    "relations": lambda reader: reader.relations(after=reader.sequence() - 1),
    "moved": lambda reader: reader.cold.moved(reader.sequence() - 1),
    "quotas": lambda reader: reader.quotas.changed(reader.sequence() - 1),
}


@pytest.mark.parametrize("name", NEWS)
def test_what_changed_before_costs_a_handle_that_catches_up_nothing(store: SqliteStore, name: str) -> None:
    def write() -> None:
        with store.writing() as writer:
            writer.put([record("ana", 100)])

    write()
    before = steps(store, NEWS[name])
    with store.writing() as writer:
        writer.put([record(f"user {number}", number) for number in range(MANY)])
        away = [record("ben", number) for number in range(MANY)]
        writer.put(away)
        writer.cold.evict(away, 1)
        for number in range(MANY):
            writer.relate("ben", "place", f"room {number}")
            writer.mark_removal(f"user {number}")
            writer.quotas.set(f"user {number}", "{}")
    write()
    assert steps(store, NEWS[name]) <= before + 20


@pytest.mark.parametrize("name", ["written_after", "changed"])
def test_uses_that_a_snapshot_has_cost_an_opening_nothing(store: SqliteStore, name: str) -> None:
    def news(reader: Any) -> int:
        after = {"written_after": 10**9, "changed": reader.sequence() - 1}[name]
        return sum(len(uses) for page in getattr(reader.uses, name)(after, 10) for uses in page.values())

    def use(numbers: range, user: str, written: int) -> None:
        with store.writing() as writer:
            writer.put([record(user, number) for number in numbers])
            writer.uses.add(user, [Use(f"m{number}", 1, 1) for number in numbers], written)

    use(range(100, 105), "ana", 10**9 + 1)
    before = steps(store, news)
    for user in range(50):
        use(range(1_000, 1_040), f"user {user}", user)
    use(range(200, 2_200), "ana", 1)
    use(range(100, 105), "ana", 10**9 + 2)
    with store.reading() as reader:
        assert news(reader) == 5
    assert steps(store, news) <= before + 20


@pytest.mark.parametrize("name", ["written_after", "changed"])
def test_uses_are_read_once(store: SqliteStore, name: str) -> None:
    def news(reader: Any) -> int:
        return sum(len(uses) for page in getattr(reader.uses, name)(0, 10) for uses in page.values())

    def use(numbers: range) -> None:
        with store.writing() as writer:
            writer.put([record("ana", number) for number in numbers])
            writer.uses.add("ana", [Use(f"m{number}", 1, 1) for number in numbers], 1)

    use(range(100, 600))
    few = steps(store, news)
    use(range(600, 2_100))
    with store.reading() as reader:
        assert news(reader) == 2_000
    assert steps(store, news) < 5 * few


def test_what_was_learnt_lately_costs_no_look_at_the_rows_of_the_rest(store: SqliteStore) -> None:
    def learnt(reader: Any) -> int:
        return len(reader.learnt_after("ana", last, ["episodic"]))

    with store.writing() as writer:
        writer.put([record("ana", 100 + number) for number in range(MANY)])
        last = writer.sequence()
    with store.writing() as writer:
        writer.put([record("ana", 90)])
    assert steps(store, learnt) <= 5 * MANY / 10


def test_what_was_learnt_is_read_once(store: SqliteStore) -> None:
    def learnt(reader: Any) -> int:
        return len(reader.learnt_after("ana", last, ["episodic"]))

    with store.writing() as writer:
        last = writer.sequence()
        writer.put([record("ana", 100 + number) for number in range(1_500)])
    few = steps(store, learnt)
    with store.writing() as writer:
        writer.put([record("ana", 1_600 + number) for number in range(6_000)])
        assert learnt(writer) == 7_500
    assert steps(store, learnt) < 6 * few


@pytest.mark.parametrize("name", ["endings", "any_ended", "learnt_later", "expired"])
def test_records_with_another_state_cost_nothing(store: SqliteStore, name: str) -> None:
    before = steps(store, READS[name])
    with store.writing() as writer:
        writer.put([record("ana", 100 + number, pinned=True) for number in range(MANY)])
    assert steps(store, READS[name]) <= before + 20


def test_intervals_cost_a_choice_of_records_nothing(store: SqliteStore) -> None:
    def choose(count: int) -> Read:
        between = [(number, number + 5) for number in range(0, 10 * count, 10)]
        return lambda reader: reader.traces.chosen("ana", Chosen(between=between))

    with store.writing() as writer:
        writer.put([record("ana", 100 + number) for number in range(MANY)])
        one, many = (choose(count)(writer) for count in (1, 1_000))
    assert one == {f"m{number}" for number in range(5)}
    assert many == {f"m{number}" for number in (*range(24), *range(100, 100 + MANY)) if number % 10 < 5}
    assert steps(store, choose(1_000)) <= steps(store, choose(1)) + 20


@pytest.mark.parametrize(
    ("between", "found"),
    [
        ([(3, 3)], {}),
        ([(3, 3), (3, 5)], {3, 4}),
        ([(7, None), (None, 2)], {0, 1, 7, 8, 9}),
        ([(4, 6), (1, 9), (2, 3)], {1, 2, 3, 4, 5, 6, 7, 8}),
        ([(5, 6), (6, 7), (1, 2)], {1, 5, 6}),
        ([(None, None)], set(range(10))),
    ],
)
def test_records_in_intervals_are_chosen(tmp_path: Path, between: Any, found: set[int]) -> None:
    store = SqliteStore(tmp_path / "other.memspan")
    with store.writing() as writer:
        records = [record("ana", number) for number in range(10)]
        writer.put(records)
        writer.cold.evict([writer.fetch("ana", [one.id])[one.id] for one in records[::3]], 1)
        assert writer.traces.chosen("ana", Chosen(between=between)) == {f"m{number}" for number in found}
    store.close()
