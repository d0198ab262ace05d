"""The default store: one SQLite file."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from memspan.base.lent import Lent
from memspan.errors import StoreError, invalid
from memspan.store.schema.cookie import fits_cookie
from memspan.store.schema.migrations import migrate, require_current_schema
from memspan.times import now_micros

from .checkpoints import Checkpoints
from .connection import BUSY_SECONDS, LOG_PAGES, create_private_file, find_temporary_folder, translated
from .pool import ConnectionPool
from .put_back import announced_rewrite, notice_put_back
from .reader import ERASE_LATER, ERASE_PENDING, ERASED, SqliteReader
from .write_turns import WriteTurns
from .writer import SqliteWriter

__all__ = ["SqliteStore"]

_logger = logging.getLogger("memspan")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""Not `C:/`; with one slash, to which `Path` shortens two."""

_MANY: Final = 1000
"""Records in a transaction for which a thread is worth starting that copies the log."""

_ERASING_SECONDS: Final = 1.0
"""How long an opening that goes on with an erasure waits for readers of an older state."""


class SqliteStore:
    """`Store` on a SQLite file in WAL mode, created when missing.

    Thread-safe; handles in other processes are kept apart by SQLite's own locks. May be used on both sides of a
    fork.

    Raises:
        InvalidArgumentError: `path` is not a path to a file.
        StoreError: the file cannot be opened, is damaged, is not a store, or has a newer schema; or there is none, but
            the log of one that was moved.
    """

    def __init__(self, path: str | os.PathLike[str], *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = _checked_path(path)
        self._busy_seconds = busy_seconds
        self._translated = translated(self.path)
        self._kept: tuple[sqlite3.Connection, int, SqliteWriter] | None = None
        self._pool = ConnectionPool(self.path, busy_seconds, writer_waits=False)
        self._turns = WriteTurns(busy_seconds)
        self._checkpoints = Checkpoints(self.path, self._pool)
        _refuse_log_alone(self.path)
        try:
            create_private_file(self.path)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be created ({error.strerror})") from error
        try:
            with self._translated, self._pool.writer() as connection, _waiting(connection, busy_seconds):
                migrate(connection, self.path)
                put_back = not fits_cookie(connection)
            if put_back:
                # Now, if it can be: later all that are open would have to build their indexes anew.
                with suppress(StoreError), self.writing():
                    pass
            with self.reading() as reader:
                unfinished = reader.meta(ERASE_PENDING) is not None  # what waits has no haste
            if unfinished:
                self._go_on_erasing()
        except BaseException:
            self.close()
            raise

    def sequence(self) -> int:
        """The change counter; a few microseconds."""
        with self._translated, self._pool.reader() as connection:
            return SqliteReader(connection).sequence()

    def reading(self) -> Lent[SqliteReader]:
        """See `Store.reading`."""
        return Lent(self._lend_reader())

    def _lend_reader(self) -> Generator[SqliteReader, None, None]:
        with self._translated, self._pool.reader() as connection:
            try:
                # Within: an interrupt that came while SQLite was at work is raised after the call.
                connection.execute("BEGIN")
                yield SqliteReader(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def writing(self) -> Lent[SqliteWriter]:
        """See `Store.writing`."""
        return Lent(self._lend_writer())

    def _lend_writer(self) -> Generator[SqliteWriter, None, None]:
        with self._translated, self._pool.writer() as connection:
            self._checkpoints.before_transaction(connection)
            committing = False
            try:
                # Within, as in `reading`: it may have waited for another process for long.
                self._turns.begin(connection)
                writer = self._writer(connection)
                yield writer
                committing = True
                self._commit(connection, copy_later=writer.written >= _MANY)
                self._turns.end()
                writer.end()
            except BaseException as error:
                self._kept = None
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                elif committing and not isinstance(error, sqlite3.Error):
                    writer.committed = True
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

    def _writer(self, connection: sqlite3.Connection) -> SqliteWriter:
        """The connection's last one, with what it knows, unless another connection committed since.

        Another one may have changed everything, the schema included. Only others' commits change the number.
        """
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        kept = self._kept
        if kept is not None and kept[0] is connection and kept[1] == version:
            kept[2].begin()
            return kept[2]
        require_current_schema(connection, self.path)
        notice_put_back(connection)
        writer = SqliteWriter(connection)
        self._kept = connection, version, writer
        return writer

    def hurry(self) -> None:
        """See `Store.hurry`."""
        self._turns.hurry()

    def erase(self) -> None:
        """Rewrite the database file and empty the write-ahead log.

        `secure_delete` overwrites a deleted cell where it lies, but copies that page splits left in the
        unused part of other pages survive it (seen about once in 3,000 inserts), so only a rewrite is a
        guarantee.

        Raises:
            StoreError: another process kept the files busy, or the disk is full; the rows are gone, and the next
                open, or `forget` of whatever it is, erases the bytes.
        """
        self._erase(self._busy_seconds)

    def _go_on_erasing(self) -> None:
        """Erase what a process left that died, or found no way, between the commit of a removal and the end of its
        erasure. What still hinders that, such as a reader that stays or a full disk, is no reason to let nobody in."""
        try:
            self._erase(min(self._busy_seconds, _ERASING_SECONDS))
        except StoreError as error:
            with self.reading() as reader:
                erased = reader.meta(ERASE_PENDING) is None  # by whoever was at it, and had the lock for that
            if not erased:
                _logger.warning("%s", error)

    def _erase(self, seconds: float) -> None:
        try:
            with self._pool.writer() as connection, _waiting(connection, seconds):
                emptied = self._rewrite(connection, seconds)
        except sqlite3.Error as error:
            raise StoreError(self._unerased(f"the files could not be rewritten ({error})")) from error
        if not emptied:
            raise StoreError(self._unerased("another process is reading an older state"))

    def _unerased(self, reason: str) -> str:
        return (
            f"{self.path}: the records are removed, but {reason}, so their bytes are still there; the next "
            "consolidate or forget erases them"
        )

    def _rewrite(self, connection: sqlite3.Connection, seconds: float) -> bool:
        """Whether the log could be emptied, too."""
        self._checkpoints.wait()
        self._kept = None
        promised = connection.execute(
            "SELECT key, value FROM meta WHERE key IN (?, ?)", (ERASE_PENDING, ERASE_LATER)
        ).fetchall()
        with announced_rewrite(connection):
            # The copy may be larger than memory; it holds live rows only.
            connection.execute("PRAGMA temp_store = FILE")
            find_temporary_folder(connection, self.path)
            try:
                connection.execute("VACUUM")
            finally:
                connection.execute("PRAGMA temp_store = MEMORY")
        deadline = time.monotonic() + seconds
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("DELETE FROM meta WHERE key = ? AND value = ?", promised)
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (ERASED, now_micros()))
        connection.execute("COMMIT")
        return True

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


@contextmanager
def _waiting(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Let SQLite wait for locks of others, as the writer does not by itself."""
    connection.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")
    try:
        yield
    finally:
        connection.execute("PRAGMA busy_timeout = 0")


def _refuse_log_alone(path: Path) -> None:
    """SQLite would empty it beside a new file, and what was committed last may be there alone."""
    log = path.with_name(path.name + "-wal")
    # Asked again at last: another process may be making both at this moment.
    if not os.path.exists(path) and _holds_something(log) and not os.path.exists(path):
        raise StoreError(
            f"{path}: there is no such file, but the log of one that was moved or deleted, {log}, which may hold what "
            "was committed last; move it to where the file is now, with its new name before -wal, or delete it"
        )


def _holds_something(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _checked_path(path: object) -> Path:
    accepted = "a path to a file, such as 'agent.memspan'"
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "\0" in text or text == ":memory:":
        raise invalid("path", path, accepted)
    # Folders that are missing are made: a store would lie in one of this name, where nobody looks for it.
    if not os.path.isdir(text.split("/")[0]):
        if _URL.match(text):
            raise invalid("path", path, accepted + "; this looks like a URL")
        if text.startswith("~/"):
            raise invalid("path", path, accepted + "; `~` is the shell's: use `os.path.expanduser`")
    # SQLite follows symbolic links, too: its log, and the snapshot, lie beside the file that a link leads to, so that
    # whoever opens it by another name finds and erases them.
    checked = Path(os.path.realpath(text))
    if os.path.isdir(checked):  # `Path.is_dir` fails where the system takes no such name
        raise invalid("path", path, accepted + "; this is a folder")
    return checked
