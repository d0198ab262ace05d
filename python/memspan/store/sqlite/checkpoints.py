"""Copy the write-ahead log into the database beside the work, after transactions that made it long."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

from memspan.base import sure_start
from memspan.errors import StoreError

from .pool import ConnectionPool

__all__ = ["Checkpoints"]

_LONG_LOG: Final = 64 << 20
"""Bytes of log beyond which a transaction waits for the copy, and then for those who read, so that it starts at the
front of the file again."""

_LOOKED: Final = 16
"""Transactions from one look at the log's size to the next."""

_WAIT_MS: Final = 500
"""For how long a transaction waits for those who read."""

_PAUSE: Final = 30.0
"""Seconds before the next one waits, if that was in vain."""


class Checkpoints:
    """At most one thread that copies, with a connection of its own.

    SQLite would copy inside the commit that makes the log long: after a load of 10,000 records that takes longer
    than the commit. What is committed is in the log and safe there, so nobody has to wait for the copy.

    Calls come from the thread that holds the pool's writer, or from `close`.
    """

    def __init__(self, path: Path, pool: ConnectionPool) -> None:
        self._log = path.with_name(path.name + "-wal")
        self._pool = pool
        self._thread: threading.Thread | None = None
        self._transactions = 0
        self._not_before = 0.0

    def before_transaction(self, connection: sqlite3.Connection) -> None:
        """Let the log end before it gets very long. SQLite starts it anew only when all of it was copied, and nobody
        reads from it: where several threads search all the time, that is never so by itself.
        """
        if self._thread is not None and not self._thread.is_alive():
            self._thread = None
        self._transactions += 1
        if self._thread is None and self._transactions % _LOOKED:
            return
        if self._log_size() > _LONG_LOG:
            self.wait()
            self._end_log(connection)

    def start(self) -> None:
        """Copy what is committed now."""
        self.wait()
        # An interpreter that ends starts no threads, nor is there memory for one at all times: what is committed is so
        # all the same, and closing the store copies the log then.
        with suppress(RuntimeError, MemoryError):
            thread = threading.Thread(target=self._copy, name="memspan-checkpoint")
            sure_start.start(thread)
            self._thread = thread

    def wait(self) -> None:
        """Return when nothing is being copied."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _end_log(self, connection: sqlite3.Connection) -> None:
        """Copy the rest and empty the file. Who begins to read when all was copied reads the database alone, so that
        this waits for those who read now, and not for the next ones."""
        if monotonic() < self._not_before:
            return
        (before,) = connection.execute("PRAGMA busy_timeout").fetchone()
        busy = True
        try:
            connection.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
            with suppress(sqlite3.Error):
                busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            connection.execute(f"PRAGMA busy_timeout = {before}")
        if busy:
            self._not_before = monotonic() + _PAUSE

    def _log_size(self) -> int:
        try:
            return self._log.stat().st_size
        except FileNotFoundError:
            return 0

    def _copy(self) -> None:
        # A copy that fails is made by the next one.
        with suppress(sqlite3.Error, StoreError), self._pool.extra() as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
