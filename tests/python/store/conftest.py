from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.times import from_micros

MakeRecord = Callable[..., Record]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.memspan"


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
