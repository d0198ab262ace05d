"""Connections at forks."""

from __future__ import annotations

import threading
from pathlib import Path

from memspan.store import SqliteStore


def in_thread(run: object) -> threading.Thread:
    thread = threading.Thread(target=run)  # type: ignore[arg-type]
    thread.start()
    return thread


def test_nobody_enters_between_two_forks_at_once(path: Path) -> None:
    """A connection that is open at a fork would be lost to the child, or worse."""
    store = SqliteStore(path)
    pool = store._pool
    entered = threading.Event()

    def read() -> None:
        with store.reading():
            entered.set()

    pool._before_fork()
    other = in_thread(lambda: (pool._before_fork(), pool._after_fork_in_parent()))
    other.join()
    reading = in_thread(read)
    assert not entered.wait(0.2)
    pool._after_fork_in_parent()
    assert entered.wait(20)
    reading.join()
    store.close()
