"""What an add asks of SQLite: statements, which depend on no clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opened_connections import prepare_each_connection
from tiny_recipe import ScriptedModel, recipe_of

from memspan import Memory, Record
from memspan.times import from_micros

ALONE = ["BEGIN", "PRAGMA", "INSERT", "COMMIT"]
"""The transaction, whether others wrote meanwhile, and the record."""

Open = Callable[..., Memory]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first words of all statements of all connections."""
    said: list[str] = []
    prepare_each_connection(
        monkeypatch,
        lambda connection: connection.set_trace_callback(lambda statement: said.append(statement.split()[0])),
    )
    return said


@pytest.fixture
def open_memory(tmp_path: Path, said: list[str]) -> Iterator[Open]:
    opened: list[Memory] = []

    def open_one(**options: Any) -> Memory:
        opened.append(Memory(tmp_path / "agent.memspan", "hash:8", **options))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


def statements(said: list[str], call: Callable[[], object]) -> list[str]:
    said.clear()
    call()
    return list(said)


def test_a_text_is_one_statement_in_its_transaction(open_memory: Open, said: list[str]) -> None:
    memory = open_memory()
    memory.add("first", user="ana", session="s")
    assert statements(said, lambda: memory.add("second", user="ana", session="s")) == ALONE


def test_a_turn_of_a_waiting_job_is_two_statements_more(open_memory: Open, said: list[str]) -> None:
    memory = open_memory(recipe=recipe_of(), llm=ScriptedModel())
    memory.add("first", user="ana", session="s")
    found = statements(said, lambda: memory.add("second", user="ana", session="s"))
    assert found == ["BEGIN", "PRAGMA", "INSERT", "SELECT", "INSERT", "COMMIT"]


def test_a_turn_of_a_new_job_is_three_statements_more(open_memory: Open, said: list[str]) -> None:
    memory = open_memory(recipe=recipe_of(), llm=ScriptedModel())
    memory.add("first", user="ana", session="s")
    found = statements(said, lambda: memory.add("second", user="ana", session="t"))
    assert found == ["BEGIN", "PRAGMA", "INSERT", "SELECT", "INSERT", "INSERT", "COMMIT"]


def test_a_new_user_is_looked_for_once(open_memory: Open, said: list[str]) -> None:
    memory = open_memory()
    memory.add("first", user="ana")
    vector = memory._engine.embedder.query("text")
    records = [
        Record(id="m", user=f"user {number}", text="text", at=from_micros(1), embedding=vector)
        for number in range(9)
    ]
    found = statements(said, lambda: memory.add_records(records))
    assert found.count("SELECT") == len(records)
