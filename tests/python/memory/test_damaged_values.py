"""A database that SQLite finds in order, with values in it that nobody wrote."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memspan.errors import InvalidArgumentError, StoreError
from memspan.memory import Memory

Open = Callable[..., Memory]
Read = Callable[[Memory], object]


@pytest.fixture
def filled(path: Path, open_memory: Open) -> Path:
    memory = open_memory()
    memory.set_quotas(20, user="ana")
    memory.add([{"id": f"m{i}", "text": f"text {i}", "metadata": {"n": i}} for i in range(30)], user="ana")
    memory.close()
    path.with_name(path.name + ".index").unlink(missing_ok=True)
    return path


def damage(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE meta SET value = CAST(x'ff7b7d' AS TEXT) WHERE key = 'embedder'",
        "UPDATE meta SET value = 'x' WHERE key = 'embedder'",
        "UPDATE meta SET value = '[]' WHERE key = 'embedder'",
        "UPDATE records SET at = 9223372036854775807",
        "UPDATE records SET metadata = '{\"n'",
        "UPDATE records SET metadata = CAST(x'7b22ff227d' AS TEXT)",
        "UPDATE records SET metadata = '{\"a\":' || replace(hex(zeroblob(50000)), '0', '[')",
        "UPDATE records SET tags = replace(hex(zeroblob(50000)), '0', '[')",
        "UPDATE records SET tags = '7'",
        "UPDATE records SET embedding = x'00'",
    ],
)
def test_on_opening(filled: Path, open_memory: Open, statement: str) -> None:
    damage(filled, statement)
    with pytest.raises(
        StoreError, match=r"agent\.memspan: the database is damaged .*restore it from a backup$"
    ):
        open_memory()


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("UPDATE cold SET record = '{\"id'", lambda memory: memory.evicted(user="ana")),
        (
            "UPDATE cold SET record = replace(hex(zeroblob(50000)), '0', '[')",
            lambda memory: memory.evicted(user="ana"),
        ),
        (
            "DROP TRIGGER audit_is_never_changed; UPDATE audit SET details = replace(hex(zeroblob(50000)), '0', '[')",
            lambda memory: memory.audit(),
        ),
        ("UPDATE cold SET record = '{}'", lambda memory: memory.evicted(user="ana")),
        ("UPDATE cold SET record = '[]'", lambda memory: memory.evicted(user="ana")),
        (
            "UPDATE cold SET record = json_set(record, '$.id', 'another')",
            lambda memory: memory.original(user="ana", id="m0") or memory.restore(user="ana", ids=["m0"]),
        ),
        ("UPDATE cold SET record = json_set(record, '$.at', 'x')", lambda memory: memory.evicted(user="ana")),
        ("UPDATE cold SET moved_at = 1 << 62", lambda memory: memory.evicted(user="ana")),
        ("UPDATE cold SET embedding = x'00'", lambda memory: memory.restore(user="ana", ids=["m0"])),
        ("DROP TRIGGER audit_is_never_changed; UPDATE audit SET at = 1 << 62", lambda memory: memory.audit()),
    ],
)
def test_on_reading(filled: Path, open_memory: Open, statement: str, read: Read) -> None:
    for each in statement.split("; "):
        damage(filled, each)
    memory = open_memory()
    with pytest.raises(StoreError, match=r"the database is damaged .*restore it from a backup$"):
        read(memory)


def test_a_path_that_no_file_system_can_encode(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidArgumentError, match=r"^path: got .*; accepted: a path to a file that the file"
    ):
        Memory(str(tmp_path / "a\ud800"), "hash:16")
