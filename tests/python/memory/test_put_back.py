"""A store that is put back to an older state, by SQLite's own means, while memories have it open."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memspan.errors import StoreError
from memspan.memory import Memory
from memspan.store import SqliteStore
from memspan.store.schema import cookie
from memspan.store.sqlite import store
from memspan.store.sqlite.put_back import announce_rewrite
from memspan.times import now_micros

Open = Callable[..., Memory]


@pytest.fixture
def put_back(path: Path, tmp_path: Path, memory: Memory) -> Iterator[Callable[[], None]]:
    """The memory has one record then."""
    memory.add([{"id": "old", "text": "the tea is green"}], user="ana")
    with closing(sqlite3.connect(tmp_path / "copy")) as copy:
        with closing(sqlite3.connect(path)) as store:
            store.backup(copy)

        def put_back() -> None:
            with closing(sqlite3.connect(path)) as store:
                copy.backup(store)

        yield put_back


def add(memory: Memory, *ids: str) -> None:
    for id_ in ids:
        memory.add([{"id": id_, "text": f"the tea of {id_}"}], user="ana")


def found(memory: Memory) -> set[str]:
    return {recall.id for recall in memory.search("tea", user="ana", k=100)}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_what_others_commit_then_is_seen_and_what_is_lost_is_not(
    memory: Memory, open_memory: Open, put_back: Callable[[], None], count: int
) -> None:
    """Also when as much is committed as was lost, or more, before the memory looks again."""
    other = open_memory()
    for round_ in range(3):
        add(memory, "lost1", "lost2")
        assert found(memory) >= {"old", "lost1", "lost2"}
        put_back()
        new = [f"new{round_}{number}" for number in range(count)]
        add(other, *new)
        assert found(memory) == {"old", *new}
        assert memory.verify() == other.verify() == []


def test_an_opening_notices_it_for_those_that_are_open(
    memory: Memory, open_memory: Open, put_back: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    add(memory, "lost1", "lost2")
    put_back()
    other = open_memory()
    add(other, "new1", "new2")
    assert found(memory) == found(other) == {"old", "new1", "new2"}
    assert [record.message for record in caplog.records if "back in time" in record.message] != []
    caplog.clear()
    add(other, "new3")
    add(memory, "new4")
    assert found(memory) == found(other) == {"old", "new1", "new2", "new3", "new4"}
    assert not caplog.records


def test_erasing_rewrites_the_file_and_puts_nothing_back(
    memory: Memory, open_memory: Open, put_back: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    other = open_memory()
    add(memory, "m1", "m2", "m3")
    for handle, id_ in ((other, "m1"), (memory, "m2"), (other, "m3")):
        before = memory._engine.store.sequence()
        handle.forget(user="ana", id=id_)
        add(other, f"after {id_}")
        found(memory)
        assert memory._engine.store.sequence() - before < 10
    assert not caplog.records
    add(memory, "lost")
    put_back()
    add(other, "new")
    assert found(memory) == {"old", "new"}


def test_it_is_opened_although_nobody_can_write_at_that_moment(
    memory: Memory, path: Path, put_back: Callable[[], None]
) -> None:
    put_back()
    with closing(sqlite3.connect(path, isolation_level=None)) as writing:
        writing.execute("BEGIN IMMEDIATE")
        with closing(SqliteStore(path, busy_seconds=0.1)) as store:
            assert store.sequence() == memory._engine.store.sequence()


def test_two_that_erase_at_once_put_nothing_back(
    memory: Memory, open_memory: Open, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = open_memory()
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as one,
        closing(sqlite3.connect(path, isolation_level=None)) as two,
    ):
        announce_rewrite(one)
        announce_rewrite(two)
        for each in (one, two):
            add(memory, "m1")
            each.execute("VACUUM")
            add(other, "m2")
    assert found(memory) == found(other) == {"m1", "m2"}
    assert memory._engine.store.sequence() < 100
    assert not caplog.records


def test_many_erasures_that_fail_put_nothing_back(
    memory: Memory, open_memory: Open, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_memory()
    add(memory, "m1", "m2")
    index = other._engine.current()

    def full(*args: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(store, "find_temporary_folder", full)
        for _ in range(20):
            with pytest.raises(StoreError, match="the files could not be rewritten"):
                memory._engine.store.erase()
        add(memory, "m3")
    assert found(other) == {"m1", "m2", "m3"}
    assert other._engine.current() is index
    assert not caplog.records
    memory.forget(user="ana", id="m1")
    add(other, "m4")
    assert found(memory) == {"m2", "m3", "m4"}
    assert other._engine.current() is index
    assert not caplog.records


def test_it_is_noticed_although_an_erasure_was_killed_before(
    memory: Memory, open_memory: Open, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(memory, "old")
    with closing(sqlite3.connect(path, isolation_level=None)) as killed:
        announce_rewrite(killed)
    monkeypatch.setattr(cookie, "now_micros", lambda: now_micros() + 10**9)
    other = open_memory()
    add(other, "older")
    add(memory, "also old")
    with (
        closing(sqlite3.connect(path)) as store,
        closing(sqlite3.connect(tmp_path / "copy")) as copy,
    ):
        store.backup(copy)
        add(memory, "lost")
        copy.backup(store)
    add(other, "new")
    assert found(memory) == {"old", "older", "also old", "new"}
