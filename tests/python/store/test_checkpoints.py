"""Large commits leave the copying of the log to a thread."""

from __future__ import annotations

import _thread
import os
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import cycle
from pathlib import Path

import pytest

from memspan.base import sure_start
from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.sqlite import checkpoints
from memspan.store.sqlite.pool import ConnectionPool

Make = Callable[..., Record]
MANY = 1500


def put_many(store: SqliteStore, make_record: Make, prefix: str) -> None:
    with store.writing() as writer:
        writer.put([make_record(f"{prefix}{i}", text="x" * 4000) for i in range(MANY)])


def copied(path: Path) -> bool:
    """Whether the database file has all that was committed, without the log.

    Another process reads it: closing the file here would drop the locks that SQLite holds on it.
    """
    other = path.with_name("copy")
    subprocess.run(["cp", path, other], check=True)
    try:
        with closing(sqlite3.connect(f"file:{other}?immutable=1", uri=True)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM records").fetchone()
    except sqlite3.OperationalError:  # not even the schema
        return False
    finally:
        other.unlink()
    return bool(count == MANY)


def test_a_large_commit_returns_before_the_copy(
    path: Path, make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    real = ConnectionPool.extra

    def later(self: ConnectionPool) -> object:
        assert go.wait(30)
        return real(self)

    monkeypatch.setattr(ConnectionPool, "extra", later)
    store = SqliteStore(path)
    put_many(store, make_record, "a")
    log = path.with_name(path.name + "-wal")
    assert log.stat().st_size > MANY * 4000
    assert not copied(path)
    # Nobody waits for the copy: neither readers nor writers.
    with store.writing() as writer:
        writer.put([make_record("small")])
        assert writer._one("PRAGMA wal_autocheckpoint") == 1000
        writer.remove("ana", ["small"])
    with store.reading() as reader:
        assert reader.count() == MANY
    go.set()
    store._checkpoints.wait()
    assert copied(path)
    store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_closing_and_erasing_wait_for_the_copy(path: Path, make_record: Make) -> None:
    store = SqliteStore(path)
    put_many(store, make_record, "a")
    with store.writing() as writer:
        writer.remove_user("ana")
        writer.request_erasure()
    store.erase()
    assert sum(file.read_bytes().count(b"x" * 4000) for file in path.parent.iterdir()) == 0
    put_many(store, make_record, "b")
    store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert copied(path)


def test_the_log_does_not_grow_without_end(
    path: Path, make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "_LONG_LOG", 8 << 20)
    store = SqliteStore(path)
    for turn in range(8):
        put_many(store, make_record, f"{turn}-")
    # Each load writes 6-7 MB; the second one may begin before the first is copied, later ones begin at the front.
    assert path.with_name(path.name + "-wal").stat().st_size < 24 << 20
    store.close()
    reopened = SqliteStore(path)
    with reopened.reading() as reader:
        assert reader.count() == 8 * MANY
    assert reopened.check() == []
    reopened.close()


def test_a_copy_that_fails_is_made_by_the_next(
    path: Path, make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: ConnectionPool) -> object:
        raise sqlite3.OperationalError("disk I/O error")

    store = SqliteStore(path)
    with monkeypatch.context() as patch:
        patch.setattr(ConnectionPool, "extra", fail)
        put_many(store, make_record, "a")
        store._checkpoints.wait()
    assert not copied(path)
    put_many(store, make_record, "a")
    store._checkpoints.wait()
    assert copied(path)
    store.close()


@pytest.mark.parametrize("failure", [RuntimeError("can't start new thread"), MemoryError()])
def test_what_is_committed_is_so_although_no_thread_can_be_had_for_the_copy(
    store: SqliteStore, make_record: Make, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    def start(thread: threading.Thread) -> None:
        raise failure

    monkeypatch.setattr(threading.Thread, "start", start)
    put_many(store, make_record, "a")
    assert store.sequence() == 1


def test_a_copy_whose_thread_never_comes_to_life_is_not_waited_for(
    store: SqliteStore, make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may die before its first line for want of memory, and nobody is told."""
    go_on, ended = threading.Event(), threading.Event()

    def put() -> None:
        go_on.wait()
        put_many(store, make_record, "a")
        ended.set()

    thread = threading.Thread(target=put, daemon=True)
    thread.start()
    with monkeypatch.context() as patch:
        patch.setattr(sure_start, "_SECONDS", 0.1)
        patch.setattr(_thread, "start_new_thread", lambda *_: 0)
        for name in ("_start_new_thread", "_start_joinable_thread"):  # the latter from Python 3.13 on
            patch.setattr(threading, name, lambda *_, **__: 0, raising=False)
        go_on.set()
        assert ended.wait(60)
    assert store.sequence() == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_waits_for_the_copy(path: Path, make_record: Make) -> None:
    store = SqliteStore(path)
    put_many(store, make_record, "a")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with store.writing() as writer:
                writer.put([make_record("child")])
            store.close()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    with store.reading() as reader:
        assert reader.count() == MANY + 1
    assert store.check() == []
    store.close()


def test_a_log_that_is_not_there_is_not_long(store: SqliteStore, path: Path) -> None:
    """As after somebody removed what seemed to be left over."""
    others, copying = checkpoints.Checkpoints(path.with_name("gone"), store._pool), threading.Event()
    others._thread = thread = threading.Thread(target=copying.wait)
    thread.start()
    try:
        with store._pool.writer() as connection:
            others.before_transaction(connection)
    finally:
        copying.set()
        thread.join()


@pytest.fixture
def read_all_the_time(path: Path) -> Iterator[None]:
    """Somebody reads at every moment, each for a short time."""
    reading, stop = threading.Event(), threading.Event()

    def read() -> None:
        connections = [
            sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30) for _ in range(2)
        ]
        for connection in cycle(connections):
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM users").fetchall()
            for other in connections:
                if other is not connection and other.in_transaction:
                    other.execute("ROLLBACK")
            reading.set()
            if stop.wait(0.001):
                break
        for connection in connections:
            connection.close()

    thread = threading.Thread(target=read)
    thread.start()
    assert reading.wait(30)
    yield
    stop.set()
    thread.join()


def test_the_log_does_not_grow_without_end_while_others_read(
    store: SqliteStore,
    path: Path,
    make_record: Make,
    monkeypatch: pytest.MonkeyPatch,
    read_all_the_time: None,
) -> None:
    monkeypatch.setattr(checkpoints, "_LONG_LOG", 1 << 20)
    monkeypatch.setattr(checkpoints, "_LOOKED", 1)
    monkeypatch.setattr(checkpoints, "_PAUSE", 0.0)
    log = path.with_name(path.name + "-wal")
    longest = 0
    for number in range(200):
        with store.writing() as writer:
            writer.put([make_record(f"m{number}", text="x" * 100_000)])
        longest = max(longest, log.stat().st_size)
    assert longest < 10 << 20


def test_a_long_look_keeps_no_writer_waiting_each_time(
    store: SqliteStore, path: Path, make_record: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "_LONG_LOG", 1 << 20)
    monkeypatch.setattr(checkpoints, "_LOOKED", 1)
    monkeypatch.setattr(checkpoints, "_PAUSE", 3600.0)
    waited: list[None] = []

    def put(numbers: range) -> None:
        for number in numbers:
            with store.writing() as writer:
                writer.put([make_record(f"m{number}", text="x" * 100_000)])
                assert writer._one("PRAGMA busy_timeout") == 0
                writer._connection.set_trace_callback(
                    lambda text: waited.append(None) if "TRUNCATE" in text else None
                )

    log = path.with_name(path.name + "-wal")
    put(range(1))
    with store.reading() as reader:
        assert reader.count() == 1
        put(range(1, 40))
        assert log.stat().st_size > 3 << 20
        assert len(waited) == 1
        assert reader.count() == 1
    store._checkpoints._not_before = 0.0
    put(range(40, 41))
    assert log.stat().st_size < 1 << 20
    assert store.check() == []
