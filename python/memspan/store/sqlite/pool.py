"""The SQLite connections of one store, shared by threads and safe at a fork."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

from memspan.base.lent import Lent
from memspan.base.weak_sets import all_of
from memspan.errors import StoreError

from .connection import connect

__all__ = ["ConnectionPool"]

FORK_SECONDS: Final = 30.0
"""How long a fork waits for the reads and writes of other threads."""

_LOOK: Final = 0.001
"""Seconds from one look at them to the next."""

_pools: weakref.WeakSet[ConnectionPool] = weakref.WeakSet()
# Connections that a forked child inherited in use, and their files. Closing them would write to the log that
# the parent is using, so they stay until the child ends.
_inherited: list[sqlite3.Connection] = []
_unusable: set[Path] = set()


class ConnectionPool:
    """One connection for the writer, and as many for readers as threads read at once.

    SQLite must not carry connections through a fork: the child would believe to hold file locks that only the
    parent has, and could lose commits when the parent closes. A fork therefore waits until no thread uses a
    connection and closes them all; parent and child open new ones when they need them.

    Thread-safe. An interrupt (Ctrl-C) may be raised after any call of a C function, and where a function in Python
    begins: nothing stays locked or in use for it, nor in a transaction, when nobody looks at the error any more. Locks
    are therefore taken by `with` alone, between which and its block none is raised, and what has to be done at an end
    is done without calls.
    """

    def __init__(self, path: Path, busy_seconds: float, *, writer_waits: bool = True) -> None:
        self._path = path
        self._name = str(path)
        self._busy_seconds = busy_seconds
        self._writer_waits = writer_waits  # for locks of other processes; else its user does
        self._write_lock = threading.Lock()
        self._make_gate()
        self._forking: set[int] = set()  # Threads; two may be about to at once.
        # The thread of each use. To leave is one call of a C function, so that no interrupt comes before.
        self._inside: list[int] = []
        self._readers: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        self._file: int | None = None  # The one that was opened first.
        self._in_use: set[sqlite3.Connection] = set()
        self._closed = False
        _pools.add(self)

    def reader(self) -> Lent[sqlite3.Connection]:
        """A connection that refuses to write, for this thread alone."""
        return Lent(self._lend_reader())

    def writer(self) -> Lent[sqlite3.Connection]:
        """The connection that writes, for one thread at a time.

        Raises:
            StoreError: the file is not under its name any more. The log is kept by names: what would be committed now
                would not be found beside the moved file, and would be lost with a deleted one.
        """
        return Lent(self._lend_writer())

    def _lend_writer(self) -> Generator[sqlite3.Connection, None, None]:
        with self._write_lock:
            me = self._enter()
            try:
                if self._writer is None:
                    writer = self._connect()
                    if not self._writer_waits:
                        writer.execute("PRAGMA busy_timeout = 0")
                    self._writer = writer
                elif _file_at(self._name) != self._file:
                    self._refuse_file()
                connection, only_reads = self._writer, False
                try:
                    self._in_use.add(connection)
                    yield connection
                except sqlite3.OperationalError as error:
                    # What cannot be opened to write at this moment, as too many files are open, SQLite opens to read.
                    only_reads = "readonly" in str(error)
                    raise
                finally:
                    try:
                        self._in_use -= {connection}
                    finally:
                        if only_reads or connection.in_transaction:
                            # Until it is known to be fit: else it ends, with its lock, when nobody has it any more.
                            self._writer = None
                            if only_reads:
                                connection.close()
                            elif _rolled_back(connection):
                                self._writer = connection
            finally:
                self._inside.remove(me)

    @contextmanager
    def extra(self) -> Iterator[sqlite3.Connection]:
        """A connection for this one use, beside the writer's."""
        me = self._enter()
        try:
            connection = self._connect()
            try:
                self._in_use.add(connection)
                yield connection
            finally:
                self._in_use -= {connection}
                connection.close()
        finally:
            self._inside.remove(me)

    def close(self) -> None:
        """Close all connections; one that another thread reads from is closed when it is done."""
        with self._write_lock:
            self._closed = True
            self._close_idle()

    def _connect(self) -> sqlite3.Connection:
        # Also to read: where no file is, SQLite would make an empty one, and empty the log that was the other one's.
        if self._file is not None and _file_at(self._name) != self._file:
            self._refuse_file()
        connection = connect(self._path, self._busy_seconds)
        if self._file is None:
            self._file = _file_at(self._name)
        return connection

    def _refuse_file(self) -> NoReturn:
        raise StoreError(
            f"{self._path}: the file was moved, deleted or replaced while it was open; nothing was changed. Close "
            f"the store, let its log, {self._path}-wal, follow the file under its new name, as what was committed "
            "last may be there alone, and open it where it is now"
        )

    def _lend_reader(self) -> Generator[sqlite3.Connection, None, None]:
        me = self._enter()
        try:
            try:
                connection = self._readers.pop()
            except IndexError:
                connection = self._connect()
                connection.execute("PRAGMA query_only = ON")
            try:
                self._in_use.add(connection)
                yield connection
            finally:
                try:
                    self._in_use -= {connection}
                finally:
                    if self._closed:
                        connection.close()
                    elif not connection.in_transaction or _rolled_back(connection):
                        self._readers += [connection]
        finally:
            self._inside.remove(me)

    def _make_gate(self) -> None:
        # A condition's own `__enter__` and `__exit__` are in Python, so that an interrupt can come between.
        self._gate_lock = threading.RLock()
        self._gate = threading.Condition(self._gate_lock)

    def _enter(self) -> int:
        """Returns what is to be taken out of `_inside` in the end: the calling thread."""
        me, entered = threading.get_ident(), False
        try:
            with self._gate_lock:
                # A thread that is inside already has to get through: the fork waits for it.
                while self._forking and me not in self._inside:
                    self._gate.wait()
                if self._closed:
                    raise StoreError(f"{self._path}: the store is closed")
                if _unusable and self._path in _unusable:
                    raise StoreError(
                        f"{self._path}: this process was forked in the middle of a read or write of the store and "
                        "cannot use it; open it in a process that is started afresh"
                    )
                self._inside += [me]
                entered = True
        except BaseException:
            if entered:
                self._inside.remove(me)
            raise
        return me

    def _close_idle(self) -> None:
        while self._readers:
            self._readers.pop().close()
        if self._writer is not None and self._writer not in self._in_use:
            self._writer.close()
            self._writer = None

    def _before_fork(self) -> None:
        """Let nobody in, wait for those inside, close everything. The forking thread itself cannot be waited for."""
        me = threading.get_ident()
        deadline = time.monotonic() + FORK_SECONDS
        with self._gate_lock:
            self._forking.add(me)
            # They leave without a word.
            while set(self._inside) - {me} and time.monotonic() < deadline:
                self._gate.wait(_LOOK)
            self._close_idle()

    def _after_fork_in_parent(self) -> None:
        with self._gate_lock:
            self._forking.discard(threading.get_ident())
            self._gate.notify_all()

    def _after_fork_in_child(self) -> None:
        if self._in_use:
            _unusable.add(self._path)
            _inherited.extend([*self._in_use, *self._readers])
        # Threads that the child does not have may hold the locks.
        self._write_lock = threading.Lock()
        self._make_gate()
        self._forking = set()
        self._inside = []
        self._readers, self._writer, self._in_use = [], None, set()


def _file_at(path: str) -> int | None:
    """What tells a file from others, as SQLite itself asks without a write-ahead log; `None`: there is none."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def _rolled_back(connection: sqlite3.Connection) -> bool:
    """End a transaction that was interrupted; one that cannot be ended is closed with its connection."""
    try:
        connection.execute("ROLLBACK")
    except sqlite3.Error:
        connection.close()
        return False
    except BaseException:  # such as when memory is used up
        connection.close()
        raise
    return True


def _before_fork() -> None:
    for pool in all_of(_pools):
        pool._before_fork()


def _after_fork_in_parent() -> None:
    for pool in all_of(_pools):
        pool._after_fork_in_parent()


def _after_fork_in_child() -> None:
    for pool in all_of(_pools):
        pool._after_fork_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
