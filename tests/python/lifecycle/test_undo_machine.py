"""Runs that change, make and evict memories, undone in reverse order, with memories forgotten in between."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memspan import Memory, Quotas
from memspan.embed import HashEmbedder
from memspan.errors import QuotaError
from memspan.lifecycle.merging.duplicates import Merging
from memspan.lifecycle.sleep.applying import apply_changes
from memspan.lifecycle.undo import undoing
from memspan.lifecycle.undo.journal import Journal

from .test_undo import answers, decided, every, memories, rows


@pytest.fixture(autouse=True, scope="module")
def small_parts() -> Iterator[None]:
    """As for runs of more records than these tests have."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(undoing, "_PART", 3)
        yield


def opened(path: Path) -> Memory:
    return Memory(path, HashEmbedder(dim=64), auto_consolidate=False)


def sleep(memory: Memory, data: st.DataObject) -> list[str]:
    """A consolidation, and what a model may decide; returns the runs."""
    merge = Merging(least=0.5, within=timedelta(days=data.draw(st.integers(0, 5))))
    runs = list(memory.consolidate("ana", merge=merge).upkeep.runs)
    journal = Journal("ana")
    before = rows(Path(memory._engine.store.path))
    try:
        apply_changes(memory._engine, decided(every(memory), data), journal=journal)
    except QuotaError:  # All others of the kind are pinned.
        assert rows(Path(memory._engine.store.path)) == before
        return runs
    if journal.began:
        journal.end(memory._engine, {})
        runs.append(journal.id)
    return runs


def quotas_for(memory: Memory, room: int) -> Quotas:
    """So that each kind has room for so many more than it has."""
    kinds = memory._engine.current().stats(user="ana")["kinds"]
    shared = ("episodic", "semantic", "procedural")
    counts = {kind: max(1, kinds.get(kind, 0) + room) for kind in shared}
    total = sum(counts.values())
    return Quotas(capacity=total, shares={kind: count / total for kind, count in counts.items()})


def within_quotas(memory: Memory) -> bool:
    quotas = memory.quotas("ana")
    if quotas is None:
        return True
    kinds = memory._engine.current().stats(user="ana")["kinds"]
    return all(limit is None or kinds.get(kind, 0) <= limit for kind, limit in quotas.capacities.items())


@settings(max_examples=25, deadline=None)
@given(
    records=memories(),
    tagged=st.booleans(),
    room=st.sampled_from((None, 0, 0, 1)),
    count=st.integers(1, 4),
    data=st.data(),
)
def test_undoing_all_runs_in_reverse_order_restores_each_state(
    records: list[Any], tagged: bool, room: int | None, count: int, data: st.DataObject
):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "m.memspan")
        with opened(path) as memory, opened(path) as other:
            memory.add_records(records)
            if tagged:
                memory.tag("ana")
            if room is not None:
                memory.set_quotas(quotas_for(memory, room), user="ana")
            states: list[tuple[str, Any, Any]] = []
            for _ in range(count):
                # Two runs of one sleep are undone together.
                before = (rows(path), answers(memory))
                states += [(run, *before) for run in sleep(memory, data)]
                assert within_quotas(memory)
            for place, (run, stored, answered) in reversed(list(enumerate(states))):
                undone = memory.undo(run)
                assert undone.left == undone.cold == ()
                if place == 0 or states[place - 1][1] is not stored:
                    assert rows(path) == stored
                    assert answers(memory) == answered == answers(other)
            assert memory.verify() == []
        with opened(path) as memory:
            assert not states or answers(memory) == states[0][2]


def documents(path: Path) -> dict[str, dict[str, Any]]:
    """What is in memory and in the cold tier, by id, without the ids of what ended it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        found = {
            row["id"]: {
                key: row[key] for key in ("text", "at", "until", "sources", "tags", "importance", "metadata")
            }
            for row in connection.execute("SELECT * FROM records")
        }
        for row in connection.execute("SELECT id, record FROM cold WHERE reason = 'evicted'"):
            found[row["id"]] = {"cold": json.loads(row["record"])["text"]}
    for document in found.values():
        ended = json.loads(document.get("metadata") or "{}")
        ended.get("ended", {}).pop("by", None)
        document["metadata"] = ended
    return found


@settings(max_examples=25, deadline=None)
@given(records=memories(), room=st.sampled_from((None, 0, 0, 1)), data=st.data())
def test_what_was_forgotten_in_between_stays_away_and_the_rest_comes_back(
    records: list[Any], room: int | None, data: st.DataObject
):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "m.memspan")
        with opened(path) as memory:
            memory.add_records([record for record in records if not record.held])
            if room is not None:
                memory.set_quotas(quotas_for(memory, room), user="ana")
            runs: list[str] = []
            gone: set[str] = set()
            before = documents(path)
            for _ in range(data.draw(st.integers(1, 3))):
                runs += sleep(memory, data)
                there = documents(path)
                if there and data.draw(st.booleans()):
                    memory.forget(user="ana", id=data.draw(st.sampled_from(sorted(there))))
                    gone |= there.keys() - documents(path).keys()
            for run in reversed(runs):
                if any(one.id == run for one in memory.runs("ana")):
                    assert memory.undo(run).left == ()
            after = documents(path)
            assert not after.keys() & gone
            assert after == {id_: document for id_, document in before.items() if id_ not in gone}
            assert memory.verify() == []
