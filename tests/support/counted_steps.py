"""Steps of SQLite's machine: a measure of what reading costs that depends on no clock."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from memspan.store import SqliteStore

Read = Callable[[Any], Any]


@contextmanager
def counting(connection: sqlite3.Connection) -> Iterator[list[int]]:
    """One entry for every ten steps of the block."""
    taken: list[int] = []
    connection.set_progress_handler(lambda: taken.append(0), 10)
    try:
        yield taken
    finally:
        connection.set_progress_handler(None, 10)


def steps(store: SqliteStore, read: Read) -> int:
    with store.reading() as reader:
        read(reader)  # statements compiled, and pages read
        with counting(reader._connection) as taken:  # type: ignore[attr-defined]
            read(reader)
    return len(taken)
