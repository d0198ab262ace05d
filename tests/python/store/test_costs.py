"""What reading about one user costs: steps of SQLite's machine, which depend on no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.times import from_micros

Read = Callable[[Any], Any]

MANY = 2_000
READS: dict[str, Read] = {
    "endings": lambda reader: reader.beliefs.endings("ana"),
    "any_ended": lambda reader: reader.beliefs.any_ended("ana", 1),
    "learnt_later": lambda reader: reader.beliefs.learnt_later("ana", 10**15, 5),
    "procedures": lambda reader: reader.transcripts.procedures("ana"),
    "pinned": lambda reader: reader.quotas.pinned("ana"),
    "held": lambda reader: reader.traces.held("ana"),
    "expired": lambda reader: reader.lifetimes.expired("ana", 1, 10),
    "runs": lambda reader: reader.runs.runs("ana"),
    "jobs": lambda reader: reader.jobs.jobs("ana"),
    "open jobs": lambda reader: reader.jobs.open("ana"),
    "next due job": lambda reader: reader.jobs.next_due("ana"),
    "usage": lambda reader: reader.jobs.usage("ana", ("user",)),
    "resources": lambda reader: reader.resources.all("ana"),
    "relations": lambda reader: reader.relations("ana"),
    "made relations": lambda reader: reader.made_relations("ana"),
    "cold counts": lambda reader: reader.cold.counts("ana"),
    "cold held": lambda reader: reader.cold.held_count("ana"),
    "cold latest": lambda reader: reader.cold.latest("ana", 5),
    "cold expired": lambda reader: reader.cold.expired(1, "ana"),
    "unsourced": lambda reader: reader.cold.unsourced_records("ana"),
}
SUMMED: dict[str, Read] = {
    "summary": lambda reader: reader.summary("ana"),
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


def steps(store: SqliteStore, read: Read) -> int:
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    with store.reading() as reader:
        read(reader)  # statements compiled, and pages read
        connection = reader._connection  # type: ignore[attr-defined]
        connection.set_progress_handler(step, 10)
        try:
            read(reader)
        finally:
            connection.set_progress_handler(None, 10)
    return count


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
            connection = writer._connection
            taken = 0

            def step() -> int:
                nonlocal taken
                taken += 1
                return 0

            connection.set_progress_handler(step, 10)
            try:
                claimed = writer.jobs.claim("me", "ana", 9, 1, lambda recipe: 0)
            finally:
                connection.set_progress_handler(None, 10)
            assert [job.user for job in claimed] == ["ana"]
            writer.jobs.fail(claimed[0], "", None, [])
        return taken

    claim()
    before = claim()
    with store.writing() as writer:
        writer.put([record("ben", 1)])
        for number in range(MANY):
            writer.jobs.enqueue("ben", [(f"session {number}", "m1")], "tiny", 1)
    assert claim() <= before + 20
