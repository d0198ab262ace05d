"""What whole calls cost: steps of SQLite's machine on all connections of a memory, which depend on no clock."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import Memory, Record
from memspan.embed import HashEmbedder
from memspan.store import pool
from memspan.store.runs import RunChange
from memspan.times import from_micros

MANY = 2_000


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for every ten steps."""
    taken: list[int] = []
    connect = pool.connect

    def counting(*arguments: Any) -> sqlite3.Connection:
        connection = connect(*arguments)
        connection.set_progress_handler(lambda: taken.append(0), 10)
        return connection

    monkeypatch.setattr(pool, "connect", counting)
    return taken


@pytest.fixture
def memory(tmp_path: Path, taken: list[int]) -> Iterator[Memory]:
    with Memory(tmp_path / "agent.memspan", HashEmbedder(dim=3), auto_consolidate=False) as memory:
        memory.add_records([record(number) for number in range(10)])
        yield memory


def record(number: int, **fields: Any) -> Record:
    made = {"at": from_micros(number), "embedding": np.ones(3, np.float32), **fields}
    return Record(id=f"m{number}", user="ana", text=f"text {number}", **made)


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
