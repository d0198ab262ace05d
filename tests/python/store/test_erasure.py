"""Removed rows leave no bytes in any file."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from memspan.errors import StoreError
from memspan.records import Record
from memspan.store import SqliteStore, inspect
from memspan.store.sqlite.connection import connect

SECRET = b"Mockingbird"
Make = Callable[..., Record]


def occurrences(folder: Path, needle: bytes = SECRET) -> int:
    return sum(file.read_bytes().count(needle) for file in folder.iterdir())


def secret_embedding() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.frombuffer(SECRET + b"?" * 5, "<f4")


def remove_user(store: SqliteStore, user: str) -> None:
    with store.writing() as writer:
        writer.remove_user(user)
        writer.request_erasure()
    store.erase()


@pytest.mark.parametrize("seed", range(6))
def test_no_bytes_stay_whatever_pages_were_split(path: Path, make_record: Make, seed: int) -> None:
    """Names, ids, tags and vectors of mixed sizes, interleaved and updated: page splits copy cells around."""
    chance = random.Random(seed)
    store = SqliteStore(path)
    word, plain = SECRET.decode(), "Nightingale"
    vectors = {True: secret_embedding(), False: np.ones(4, np.float32)}
    for step in range(60):
        with store.writing() as writer:
            records = []
            for _ in range(chance.randrange(1, 40)):
                mine = chance.random() < 0.3
                own = word if mine else plain
                id_ = f"{own}{step:03}" if seed % 2 else f"{chance.getrandbits(40):x}{own}"
                text = own + "x" * chance.choice([0, 90, 4000])
                records.append(
                    make_record(
                        id_, user=own, text=text, tags=(own,), sources=(own,), embedding=vectors[mine]
                    )
                )
                writer.relate(own, f"{chance.getrandbits(20):x}{own}", own)
            writer.put(records)
            for user in (word, plain):
                known = writer.ids(user)
                again = chance.sample(known, min(3, len(known)))
                writer.put(
                    [
                        make_record(id_, user=user, text=user + "y" * chance.choice([0, 9, 900]))
                        for id_ in again
                    ]
                )
    assert occurrences(path.parent) > 100
    remove_user(store, word)
    store.close()
    assert occurrences(path.parent) == 0
    assert occurrences(path.parent, plain.encode()) > 100


def test_the_log_is_emptied_while_the_store_stays_open(
    path: Path, store: SqliteStore, make_record: Make
) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1", user=SECRET.decode(), embedding=secret_embedding()), make_record("m2")])
    log = path.with_name(path.name + "-wal")
    assert log.stat().st_size > 0
    assert SECRET in log.read_bytes()
    remove_user(store, SECRET.decode())
    assert SECRET not in log.read_bytes()
    with store.reading() as reader:
        assert reader.users() == ["ana"]
        assert reader.meta("erase_pending") is None


WITHOUT_TEMPORARY_FOLDERS = """
import os, sqlite3, sys
from memspan.store import SqliteStore

real = os.access
os.access = lambda path, *args, **more: str(path).startswith(sys.argv[1]) and real(path, *args, **more)
store = SqliteStore(sys.argv[1] + "/it's/m")
store.erase()
store.close()
(found,) = sqlite3.connect(":memory:").execute("PRAGMA temp_store_directory").fetchone() or (None,)
print(found)
"""


@pytest.mark.skipif(os.name != "posix", reason="others have one folder for temporary files")
def test_where_no_temporary_file_can_be_made_the_copy_goes_beside_the_store(tmp_path: Path) -> None:
    """In a process of its own, whose setting it is."""
    with closing(sqlite3.connect(":memory:")) as connection:
        if ("OMIT_DEPRECATED",) in connection.execute("PRAGMA compile_options").fetchall():
            pytest.skip("this SQLite knows no such setting")
    command = [sys.executable, "-c", WITHOUT_TEMPORARY_FOLDERS, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.stdout.strip() == str(tmp_path / "it's"), ended.stderr


def test_a_process_that_died_before_erasing(path: Path, make_record: Make) -> None:
    store = SqliteStore(path)
    with store.writing() as writer:
        writer.put([make_record("m1", user=SECRET.decode())])
    with store.writing() as writer:
        writer.remove_user(SECRET.decode())
        writer.request_erasure()
    store.close()
    found = inspect(path)
    assert found is not None
    assert "erase_pending" in found.settings
    SqliteStore(path).close()
    found = inspect(path)
    assert found is not None
    assert "erase_pending" not in found.settings
    assert occurrences(path.parent) == 0


def test_a_reader_of_an_old_state_is_waited_for(path: Path, make_record: Make) -> None:
    store = SqliteStore(path)
    with store.writing() as writer:
        writer.put([make_record("m1", user=SECRET.decode())])
    other = connect(path)
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM records").fetchone()
    timer = threading.Timer(0.05, lambda: other.execute("COMMIT"))
    timer.start()
    remove_user(store, SECRET.decode())
    timer.join()
    other.close()
    store.close()
    assert occurrences(path.parent) == 0


def test_a_reader_that_stays_is_reported_and_the_next_open_erases(path: Path, make_record: Make) -> None:
    store = SqliteStore(path, busy_seconds=0.05)
    with store.writing() as writer:
        writer.put([make_record("m1", user=SECRET.decode())])
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM records").fetchone()
        with pytest.raises(StoreError, match="records are removed, but"):
            remove_user(store, SECRET.decode())
    store.close()
    SqliteStore(path).close()
    assert occurrences(path.parent) == 0


def test_a_reader_that_stays_keeps_nobody_out(
    path: Path, make_record: Make, caplog: pytest.LogCaptureFixture
) -> None:
    store = SqliteStore(path, busy_seconds=0.05)
    with store.writing() as writer:
        writer.put([make_record("m1", user=SECRET.decode()), make_record("m2")])
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM records").fetchone()
        with pytest.raises(StoreError, match="records are removed, but"):
            remove_user(store, SECRET.decode())
        second = SqliteStore(path)
        assert "their bytes are still there" in caplog.text
        with second.reading() as reader:
            assert reader.users() == ["ana"]
            assert reader.erasure_pending()
        second.close()
    store.close()
    SqliteStore(path).close()
    assert occurrences(path.parent) == 0


def test_nothing_is_said_of_bytes_that_another_one_erases_meanwhile(
    path: Path, make_record: Make, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite, store = SqliteStore._rewrite, SqliteStore(path)
    with store.writing() as writer:
        writer.put([make_record("m1", user=SECRET.decode()), make_record("m2")])
    with store.writing() as writer:
        writer.remove_user(SECRET.decode())
        writer.request_erasure()

    def come_late(second: SqliteStore, connection: sqlite3.Connection, seconds: float) -> bool:
        monkeypatch.setattr(SqliteStore, "_rewrite", rewrite)
        store.erase()
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(SqliteStore, "_rewrite", come_late)
    SqliteStore(path).close()
    assert not caplog.records
    store.close()
    assert occurrences(path.parent) == 0
