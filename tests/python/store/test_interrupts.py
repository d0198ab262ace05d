"""An interrupt (Ctrl-C) at any moment leaves a store that works, and locks nobody out."""

from __future__ import annotations

import gc
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from memspan.records import Record
from memspan.store import SqliteStore

Make = Callable[..., Record]
OLD = sys.version_info < (3, 11)


@contextmanager
def interrupted(after: int) -> Iterator[None]:
    """Raise in the block as a signal's handler may: when a call of a C function returns, or where one in Python begins,
    here that of this number.

    One that comes in `contextlib` leaves a generator waiting, which ends when nobody looks at the error any more.
    The collector waits: what it would end here is another test's, and no error may leave that.
    """
    left = after

    def look(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal left
        if OLD and event == "call" and frame.f_lasti >= 0:
            return  # An error here leaves a generator without its `finally`, which that of a signal does not.
        if event in ("c_return", "call") and argument is not sys.setprofile:
            left -= 1
            if left == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    gc.disable()
    sys.setprofile(look)
    try:
        yield
    finally:
        sys.setprofile(None)
        gc.enable()


def require_usable(store: SqliteStore, path: Path, when: int) -> None:
    pool = store._pool
    assert not pool._write_lock.locked(), when
    assert not pool._inside, when
    assert not pool._in_use, when
    with store.reading() as reader:
        reader.count()
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
        # Nobody reads an older state.
        assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0, when


def test_writes(path: Path, make_record: Make) -> None:
    store = SqliteStore(path)  # not the fixture's: it could not be closed with a lock that nobody gives back
    for when in count(1):
        record = make_record(f"m{when}")
        try:
            with interrupted(when), store.writing() as writer:
                writer.put([record])
            break
        except KeyboardInterrupt:
            pass
        require_usable(store, path, when)
    assert when > 10
    with store.writing() as writer:
        writer.put([make_record("last")])
    assert store.check() == []
    store.close()


@pytest.mark.parametrize("afresh", [False, True])
def test_reads(store: SqliteStore, path: Path, afresh: bool) -> None:
    """With a connection that is there, and with one that is made."""
    for when in count(1):
        if afresh:
            store._pool._readers.clear()
        try:
            with interrupted(when), store.reading() as reader:
                reader.count()
            break
        except KeyboardInterrupt:
            pass
        require_usable(store, path, when)
    assert when > 5
    for when in count(1):
        try:
            with interrupted(when):
                store.sequence()
            break
        except KeyboardInterrupt:
            pass
        require_usable(store, path, when)
