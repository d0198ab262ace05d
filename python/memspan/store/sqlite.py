"""The default store: one SQLite file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from memspan.errors import StoreError, invalid

from .checkpoints import Checkpoints
from .connection import BUSY_SECONDS, LOG_PAGES, create_private_file, translated
from .migrations import migrate, require_current_schema
from .pool import ConnectionPool
from .sqlite_reader import SqliteReader
from .sqlite_writer import ERASE_PENDING, SqliteWriter
from .writer_state import WriterState

__all__ = ["SqliteStore"]

_MANY: Final = 1000
"""Records in a transaction for which a thread is worth starting that copies the log."""


class SqliteStore:
    """`Store` on a SQLite file in WAL mode, created when missing.

    Thread-safe; handles in other processes are kept apart by SQLite's own locks. May be used on both sides of a
    fork.

    Raises:
        InvalidArgumentError: `path` is not a path to a file.
        StoreError: the file cannot be opened, is damaged, is not a store, or has a newer schema.
    """

    def __init__(self, path: str | os.PathLike[str], *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = _checked_path(path)
        self._busy_seconds = busy_seconds
        self._kept: tuple[sqlite3.Connection, int, WriterState] | None = None
        self._pool = ConnectionPool(self.path, busy_seconds)
        self._checkpoints = Checkpoints(self.path, self._pool)
        try:
            create_private_file(self.path)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be created ({error.strerror})") from error
        try:
            with translated(self.path), self._pool.writer() as connection:
                migrate(connection, self.path)
            with self.reading() as reader:
                unfinished = reader.meta(ERASE_PENDING) is not None
            if unfinished:
                # A process died between the commit of a removal and the end of its erasure.
                self.erase()
        except BaseException:
            self.close()
            raise

    def sequence(self) -> int:
        """The change counter; a few microseconds."""
        with translated(self.path), self._pool.reader() as connection:
            return SqliteReader(connection).sequence()

    @contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        """See `Store.reading`."""
        with translated(self.path), self._pool.reader() as connection:
            connection.execute("BEGIN")
            try:
                yield SqliteReader(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[SqliteWriter]:
        """See `Store.writing`."""
        with translated(self.path), self._pool.writer() as connection:
            self._checkpoints.before_transaction()
            connection.execute("BEGIN IMMEDIATE")
            try:
                state = self._state(connection)
                writer = SqliteWriter(connection, state)
                yield writer
                self._commit(connection, copy_later=writer.written >= _MANY)
                state.sequence = writer.sequence()
            except BaseException:
                self._kept = None
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                raise

    def _commit(self, connection: sqlite3.Connection, *, copy_later: bool) -> None:
        if not copy_later:
            connection.execute("COMMIT")
            return
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        try:
            connection.execute("COMMIT")
        finally:
            connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
        self._checkpoints.start()

    def _state(self, connection: sqlite3.Connection) -> WriterState:
        """What the connection's last transaction left, unless another one committed since.

        Another one may have changed everything, the schema included. Only others' commits change the number.
        """
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        if self._kept is None or self._kept[:2] != (connection, version):
            require_current_schema(connection, self.path)
            self._kept = (connection, version, WriterState())
        return self._kept[2]

    def erase(self) -> None:
        """Rewrite the database file and empty the write-ahead log.

        `secure_delete` overwrites a deleted cell where it lies, but copies that page splits left in the
        unused part of other pages survive it (seen about once in 3,000 inserts), so only a rewrite is a
        guarantee.

        Raises:
            StoreError: another process kept the files busy; the rows are gone, and the next open erases the
                bytes.
        """
        with translated(self.path), self._pool.writer() as connection:
            self._checkpoints.wait()
            self._kept = None
            (pending,) = connection.execute(
                "SELECT max(value) FROM meta WHERE key = ?", (ERASE_PENDING,)
            ).fetchone()
            # The copy may be larger than memory; it holds live rows only.
            connection.execute("PRAGMA temp_store = FILE")
            try:
                connection.execute("VACUUM")
            finally:
                connection.execute("PRAGMA temp_store = MEMORY")
            self._empty_log(connection)
            connection.execute("DELETE FROM meta WHERE key = ? AND value = ?", (ERASE_PENDING, pending))

    def _empty_log(self, connection: sqlite3.Connection) -> None:
        deadline = time.monotonic() + self._busy_seconds
        while True:
            (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return
            if time.monotonic() > deadline:
                raise StoreError(
                    f"{self.path}: the records are removed, but another process is reading an older state, "
                    "so their bytes are still in the write-ahead log; the next open or forget erases them"
                )
            time.sleep(0.01)

    def check(self) -> list[str]:
        """`PRAGMA integrity_check` and `foreign_key_check`; linear in the size of the database."""
        with self.reading() as reader:
            rows: list[Any] = reader._all("PRAGMA integrity_check")
            problems = [f"database: {text}" for (text,) in rows if text != "ok"]
            for table, row, parent, _ in reader._all("PRAGMA foreign_key_check"):
                problems.append(
                    f"database: row {row} of {table} points at a row of {parent} that does not exist"
                )
        return problems

    def close(self) -> None:
        """Close all connections. Closing twice is harmless; a read in another thread ends first."""
        self._checkpoints.wait()
        self._pool.close()


def _checked_path(path: object) -> Path:
    accepted = "a path to a file, such as 'agent.memspan'"
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "\0" in text or text == ":memory:":
        raise invalid("path", path, accepted)
    checked = Path(text).absolute()
    if os.path.isdir(checked):  # `Path.is_dir` fails where the system takes no such name
        raise invalid("path", path, accepted + "; this is a folder")
    return checked
