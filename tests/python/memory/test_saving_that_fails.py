"""A cache file that cannot be written, as on a full disk, costs little more than a file that is not written."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from memspan import Index, Record
from memspan.memory import Memory
from memspan.remember import engine, snapshots
from memspan.store import SqliteStore
from memspan.times import from_micros

_NUMBERS = count()


def add(memory: Memory, many: int) -> None:
    numbers = [next(_NUMBERS) for _ in range(many)]
    memory.add_records(Record(id=f"m{n}", user="ana", text=f"text {n}", at=from_micros(n)) for n in numbers)


def test_it_is_tried_again_when_as_much_has_changed_again(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def refuse(source: object, target: object) -> None:
        tried.append(target)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(engine, "_WORTH_SAVING", 20)
    monkeypatch.setattr(snapshots.os, "replace", refuse)
    memory = open_memory()
    index = memory._engine.current()
    for many, tries in ((18, 0), (3, 1), (1, 1), (14, 1), (5, 2), (1, 2)):
        memory.search("text", user="ana")  # is a use that is written with the file
        add(memory, many)
        assert len(tried) == tries
        assert memory._engine.current() is index
    memory.close()
    assert len(tried) == 3


@pytest.mark.parametrize("fails", [False, True])
def test_the_old_file_is_there_until_the_new_one_takes_its_place(
    path: Path,
    open_memory: Callable[..., Memory],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fails: bool,
) -> None:
    save, file = Index.save, path.with_name(path.name + ".index")
    memory = open_memory()
    add(memory, 30)
    memory.close()
    old, seen = file.read_bytes(), []

    def look(index: Index, *arguments: Any, **options: Any) -> None:
        seen.append(file.read_bytes())
        if fails:
            raise OSError(errno.ENOSPC, "No space left on device")
        save(index, *arguments, **options)

    memory = open_memory()
    add(memory, 30)
    monkeypatch.setattr(Index, "save", look)
    memory.close()
    assert seen == [old]
    assert (file.read_bytes() == old) == fails
    caplog.clear()
    memory = open_memory()
    assert len(memory._engine.current()) == 60
    assert not caplog.records


@pytest.mark.parametrize("saved_before", [False, True])
def test_no_file_stays_of_which_the_store_does_not_know(
    path: Path, open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch, saved_before: bool
) -> None:
    commit, save = SqliteStore._commit, snapshots.Snapshots.save
    saved: list[Path] = []

    def save_once(self: snapshots.Snapshots, *arguments: Any) -> None:
        save(self, *arguments)
        assert self.path.exists()
        saved.append(self.path)

    def fail_once(self: SqliteStore, *arguments: Any, **options: Any) -> None:
        if len(saved) == 1:
            saved.append(self.path)
            raise sqlite3.OperationalError("disk I/O error")
        commit(self, *arguments, **options)

    memory = open_memory()
    add(memory, 30)
    if saved_before:
        memory.close()
        memory = open_memory()
    monkeypatch.setattr(snapshots.Snapshots, "save", save_once)
    monkeypatch.setattr(SqliteStore, "_commit", fail_once)
    monkeypatch.setattr(engine, "_WORTH_SAVING", 20)
    add(memory, 30)
    assert len(saved) == 2
    assert memory.verify() == []
    assert [file.name for file in path.parent.glob("*.index*")] == []
    memory.close()
    memory = open_memory()
    assert path.with_name(path.name + ".index").exists()
    assert memory.verify() == []
    assert memory.stats("ana")["records"] == 60
