"""Connections at forks, and those that cannot write."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

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
