"""`ReplyCache`: answers on disk by what was asked, so that the same question is paid for once."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from memspan.errors import StoreError
from memspan.store.sqlite.connection import create_private_file
from memspan.store.sqlite.pool import ConnectionPool

__all__ = ["ReplyCache", "reply_key"]

_logger = logging.getLogger("memspan")

_BUSY_SECONDS: Final = 10.0
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL,"
    " made_at INTEGER NOT NULL) WITHOUT ROWID"
)


def reply_key(
    model: str, system: str, user: str, schema: Mapping[str, Any], parameters: Mapping[str, Any]
) -> bytes:
    """sha256 over everything that an answer depends on. The server's address is left out, and so is the way in which
    the schema was made known to it."""
    asked = [model, system, user, schema, parameters]
    return hashlib.sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).digest()


class ReplyCache:
    """A SQLite file of its own, readable by its owner only: answers repeat what memories say. Holds no keys and no
    addresses. Any number of threads, processes and handles may use one file, also on both sides of a fork; of two that
    store the same answer at once, the first wins. A cache that fails while in use is passed over with a warning: it is
    only there to save.

    Raises:
        StoreError: the file cannot be opened, or is something else.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._pool = ConnectionPool(self.path, _BUSY_SECONDS)
        self._prepared: sqlite3.Connection | None = None
        try:
            create_private_file(self.path)
            with self._connected():
                pass
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{self.path}: cannot be used as a cache of replies ({error})") from error

    def get(self, key: bytes) -> tuple[str, str] | None:
        """The model's name as the server gave it, and its answer. O(log n)."""
        try:
            with self._connected() as connection:
                found = connection.execute("SELECT model, text FROM replies WHERE key = ?", (key,))
                row: tuple[str, str] | None = found.fetchone()
        except (sqlite3.Error, StoreError) as error:
            self._warn(error)
            return None
        return row

    def age(self) -> int:
        """How often the cache was emptied; -1 when that cannot be told."""
        try:
            with self._connected() as connection:
                return _age(connection)
        except (sqlite3.Error, StoreError) as error:
            self._warn(error)
            return -1

    def put(
        self, key: bytes, model: str, text: str, age: int | None = None, *, instead_of: str | None = None
    ) -> None:
        """Keep an answer, unless the cache was emptied since it had the age: it may repeat what was forgotten. Takes
        the place of `instead_of`, and of no other one."""
        row = (key, model, text, int(time.time()))
        try:
            with self._connected() as connection:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    if age is None or age == _age(connection):
                        connection.execute(
                            "DELETE FROM replies WHERE key = ? AND text = ?", (key, instead_of)
                        )
                        connection.execute("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", row)
                finally:
                    connection.execute("COMMIT")
        except (sqlite3.Error, StoreError) as error:
            self._warn(error)

    def forget(self) -> None:
        """Erase all answers, and their bytes in the file. Linear in its size.

        Raises:
            StoreError: another process kept the file busy; there may be bytes left.
        """
        try:
            with self._connected() as connection:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    connection.execute("DELETE FROM replies")
                    connection.execute(f"PRAGMA user_version = {_age(connection) + 1}")
                finally:
                    connection.execute("COMMIT")
                connection.execute("VACUUM")
                (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: the cache of replies cannot be emptied ({error})") from error
        if busy:
            raise StoreError(
                f"{self.path}: the cache of replies is empty, but another process is reading an older state, so "
                "that bytes are still in its log"
            )

    def __len__(self) -> int:
        with self._connected() as connection:
            (count,) = connection.execute("SELECT count(*) FROM replies").fetchone()
        return int(count)

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        used, self._pool = self._pool, ConnectionPool(self.path, _BUSY_SECONDS)
        used.close()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """The connection of this process, for one thread at a time."""
        with self._pool.writer() as connection:
            if connection is not self._prepared:
                connection.execute("PRAGMA synchronous = NORMAL")  # what a power cut loses is asked again
                connection.execute(_SCHEMA)
                self._prepared = connection
            yield connection

    def _warn(self, error: Exception) -> None:
        _logger.warning("%s: the cache of replies is passed over: %s", self.path, error)


def _age(connection: sqlite3.Connection) -> int:
    (age,) = connection.execute("PRAGMA user_version").fetchone()
    return int(age)
