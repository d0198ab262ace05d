from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.schema import tables
from memspan.times import from_micros

MakeRecord = Callable[..., Record]
MakeOld = Callable[[int], "AbstractContextManager[sqlite3.Connection]"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.memspan"


@pytest.fixture
def old_store(path: Path) -> MakeOld:
    """An empty database at `path` with the tables of an older version, to be filled."""

    @contextmanager
    def make(version: int) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for migration in tables.MIGRATIONS[:version]:
                for statement in migration:
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {tables.APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {version}")
            yield connection

    return make


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(path)
    yield opened
    opened.close()


@pytest.fixture
def make_record() -> MakeRecord:
    """A complete record; every field can be given."""

    def make(id: str = "m1", **fields: object) -> Record:
        defaults: dict[str, object] = {
            "user": "ana",
            "text": f"text of {id}",
            "at": from_micros(1_700_000_000_000_000),
            "recorded_at": from_micros(1_700_000_000_000_001),
            "embedding": np.array([1.0, 2.0, 3.0], np.float32),
        }
        return Record(id=id, **{**defaults, **fields})  # type: ignore[arg-type]

    return make
