"""Who searches does not wait for somebody of the same process who waits for another process to write."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from memspan.memory import Memory
from memspan.remember.engine import Engine
from memspan.store import StoreWriter

Open = Callable[..., Memory]

PATIENCE = 20.0


def added(memory: Memory, text: str) -> threading.Thread:
    thread = threading.Thread(target=lambda: memory.add(text, user="ana"), daemon=True)
    thread.start()
    return thread


def until(true: Callable[[], bool]) -> None:
    late = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < late:
        time.sleep(0.001)
    assert true()


def has_a_writer(memory: Memory) -> bool:
    free = memory._engine._lock.acquire(blocking=False)
    if free:
        memory._engine._lock.release()
    return not free


def test_a_search_finds_what_others_wrote_while_a_writer_waits_for_them(
    path: Path, open_memory: Open
) -> None:
    memory = open_memory()
    memory.add("The ferry leaves at nine.", user="ana")
    open_memory().add("The bus leaves at eleven.", user="ana")
    found: list[list[str]] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as process:
        process.execute("BEGIN IMMEDIATE")
        writer = added(memory, "The train leaves at ten.")
        until(lambda: has_a_writer(memory))
        searcher = threading.Thread(
            target=lambda: found.append([hit.text for hit in memory.search("leaves", user="ana")]),
            daemon=True,
        )
        searcher.start()
        searcher.join(PATIENCE)
        process.execute("ROLLBACK")
    writer.join(PATIENCE)
    assert list(map(sorted, found)) == [["The bus leaves at eleven.", "The ferry leaves at nine."]]
    assert len(memory.search("leaves", user="ana")) == 3
    assert memory.verify() == []


def test_who_saw_the_state_before_a_commit_is_not_told_that_it_came_later(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    memory, other = open_memory(), open_memory()
    memory.add("first", user="ana")
    index = memory._engine.current()
    looking, committed = threading.Event(), threading.Event()
    writing, catch_up = memory._engine.store.writing, Engine._catch_up

    @contextmanager
    def slow() -> Iterator[StoreWriter]:
        with writing() as writer:
            yield writer
            assert looking.wait(PATIENCE)
        committed.set()

    def late(self: Engine, reader: Any) -> Any:
        if threading.current_thread() is threading.main_thread() and not looking.is_set():
            reader.sequence()  # Its view begins.
            looking.set()
            assert committed.wait(PATIENCE)
            thread.join(0.1)
        return catch_up(self, reader)

    monkeypatch.setattr(memory._engine.store, "writing", slow)
    thread = added(memory, "second")
    until(lambda: memory._engine._coming is not None)
    monkeypatch.setattr(Engine, "_catch_up", late)
    with caplog.at_level(logging.WARNING, "memspan"):
        with memory._engine.store.reading() as reader, memory._engine._syncing:
            memory._engine._catch_up(reader)
        thread.join(PATIENCE)
        monkeypatch.undo()
        other.add("third", user="ana")
        assert len(memory.latest("ana")) == 3
    assert not caplog.records
    assert memory._engine.current() is index
    assert memory.verify() == []


def test_tasks_that_search_do_not_wait_for_those_that_add(path: Path, open_memory: Open) -> None:
    """However many of these wait: a loop has 6 threads on two cores, 32 at most."""
    memory = open_memory()
    memory.add("The ferry leaves at nine.", user="ana")

    async def search_and_add(process: sqlite3.Connection) -> list[str]:
        adding = [asyncio.create_task(memory.aadd(f"text {number}", user="ben")) for number in range(40)]
        while not has_a_writer(memory):
            await asyncio.sleep(0.001)
        try:
            found = await asyncio.wait_for(memory.asearch("leaves", user="ana"), PATIENCE)
        finally:
            process.execute("ROLLBACK")
            await asyncio.gather(*adding)
        return [hit.text for hit in found]

    with closing(sqlite3.connect(path, isolation_level=None)) as process:
        process.execute("BEGIN IMMEDIATE")
        assert asyncio.run(search_and_add(process)) == ["The ferry leaves at nine."]
    assert len(memory.latest("ben", k=100)) == 40
