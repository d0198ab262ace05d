"""Connections at forks, and those that cannot write."""

from __future__ import annotations

import sqlite3
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memspan.errors import StoreError
from memspan.store import SqliteStore
from memspan.store.sqlite import pool


def in_thread(run: object) -> threading.Thread:
    thread = threading.Thread(target=run)  # type: ignore[arg-type]
    thread.start()
    return thread


def test_nobody_enters_between_two_forks_at_once(path: Path) -> None:
    """A connection that is open at a fork would be lost to the child, or worse."""
    store = SqliteStore(path)
    connections = store._pool
    entered = threading.Event()

    def read() -> None:
        with store.reading():
            entered.set()

    connections._before_fork()
    other = in_thread(lambda: (connections._before_fork(), connections._after_fork_in_parent()))
    other.join()
    reading = in_thread(read)
    assert not entered.wait(0.2)
    connections._after_fork_in_parent()
    assert entered.wait(20)
    reading.join()
    store.close()


def test_a_connection_that_came_to_read_alone_is_not_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite opens what it cannot open to write to read, as where too many files are open at that moment."""
    SqliteStore(path).close()

    def to_read(path: Path, busy_seconds: float) -> sqlite3.Connection:
        return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)

    monkeypatch.setattr(pool, "connect", to_read)
    store = SqliteStore(path)
    monkeypatch.undo()
    with pytest.raises(StoreError, match="readonly"), store.writing() as writer:
        writer.set_meta("name", "value")
    with store.writing() as writer:
        writer.set_meta("name", "value")
    store.close()


class _NoRollback(sqlite3.Connection):
    """While memory is used up there is none for a statement that ends a transaction."""

    used_up = False

    def execute(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
        if statement == "ROLLBACK" and self.used_up:
            raise MemoryError
        return super().execute(statement, *arguments)


def test_no_lock_stays_when_memory_is_used_up_at_the_end_of_a_write(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=_NoRollback))
    store, other = SqliteStore(path), SqliteStore(path, busy_seconds=0.1)

    def write_and_stop() -> None:
        with store.writing() as writer:
            writer.set_meta("name", "lost")
            monkeypatch.setattr(_NoRollback, "used_up", True)
            raise MemoryError

    with pytest.raises(MemoryError):
        write_and_stop()
    monkeypatch.undo()
    for handle in (other, store):
        with handle.writing() as writer:
            assert writer.meta("name") is None
    store.close()
    other.close()
