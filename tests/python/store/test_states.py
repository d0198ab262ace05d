"""What has become of a record is kept with it: retired, expiring, pinned, held."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timezone
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from memspan import HashEmbedder, Memory
from memspan.errors import InvalidArgumentError, StoreError
from memspan.records import Record
from memspan.store import SqliteStore

Make = Callable[..., Record]
MakeOld = Callable[[int], AbstractContextManager[sqlite3.Connection]]
MOMENT = datetime(2024, 5, 1, 12, 30, 0, 123456, tzinfo=timezone.utc)
STATES: list[dict[str, Any]] = [
    {"retired_at": MOMENT},
    {"expires_at": MOMENT},
    {"pinned": True},
    {"held": True},
    {"retired_at": MOMENT, "expires_at": MOMENT, "pinned": True, "held": True},
]


def state(record: Record) -> dict[str, Any]:
    every = {name: getattr(record, name) for name in ("retired_at", "expires_at", "pinned", "held")}
    return {name: value for name, value in every.items() if value not in (None, False)}


@pytest.mark.parametrize("fields", STATES)
def test_every_way_of_reading_tells_the_state(
    store: SqliteStore, make_record: Make, fields: dict[str, Any]
) -> None:
    with store.writing() as writer:
        writer.put([make_record("plain"), make_record("m", **fields)])
    with store.reading() as reader:
        fetched = reader.fetch("ana", ["m", "plain"])
        scanned = {record.id: record for batch in reader.scan("ana", 10) for record in batch}
        changed = {record.id: record for batch in reader.changed(0, 10) for record in batch}
    for found in (fetched, scanned, changed):
        assert state(found["m"]) == fields
        assert state(found["plain"]) == {}


def test_a_record_that_is_written_anew_has_its_new_state(store: SqliteStore, make_record: Make) -> None:
    record = make_record("m", pinned=True)
    for fields in [{"pinned": False, "held": True}, {"held": False}, {"retired_at": MOMENT}]:
        record = replace(record, **fields)
        with store.writing() as writer:
            writer.put([record])
        with store.reading() as reader:
            assert state(reader.fetch("ana", ["m"])["m"]) == state(record)


def test_states_go_with_their_records(store: SqliteStore, path: Path, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put([make_record("m", pinned=True), make_record("n", user="ben", held=True)])
    with store.writing() as writer:
        writer.remove("ana", ["m"])
        writer.remove_user("ben")
    with store.reading() as reader:
        assert reader._one("SELECT count(*) FROM record_states") == 0


def test_the_audit_only_grows(store: SqliteStore) -> None:
    with store.writing() as writer:
        writer._connection.execute(
            "INSERT INTO audit (at, actor, action, records, details, previous, hash) "
            "VALUES (1, 'a', 'forget', '[]', '{}', '', 'x')"
        )
    for statement in ("DELETE FROM audit", "UPDATE audit SET action = 'other'"):
        with pytest.raises(StoreError, match="only grows"), store.writing() as writer:
            writer._connection.execute(statement)


def record(id_: str, **fields: Any) -> Record:
    return Record(id=id_, user="ana", text=f"note {id_}", at=MOMENT, **fields)


@pytest.mark.parametrize("fields", STATES)
def test_records_and_exports_carry_the_state(tmp_path: Path, fields: dict[str, Any]) -> None:
    file = StringIO()
    with Memory(tmp_path / "one.memspan", HashEmbedder(dim=16)) as memory:
        memory.add_records([record("m", **fields), record("plain")])
        memory.export("ana", file)
    file.seek(0)
    with Memory(tmp_path / "two.memspan", HashEmbedder(dim=16)) as memory:
        memory.load(file)
        kept, plain = memory.get(user="ana", id="m"), memory.get(user="ana", id="plain")
    assert kept is not None
    assert plain is not None
    assert state(kept) == fields
    assert state(plain) == {}


def test_adding_again_unpins_nothing_and_lifts_no_hold(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.memspan", HashEmbedder(dim=16)) as memory:
        memory.add_records([record("m", pinned=True, held=True)])
        memory.add_records([replace(record("m"), text="another wording")])
        kept = memory.get(user="ana", id="m")
    assert kept is not None
    assert kept.text == "another wording"
    assert kept.pinned
    assert kept.held


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"pinned": "yes"}, "records\\[0\\].pinned"),
        ({"held": 1}, "records\\[0\\].held"),
        ({"retired_at": "never"}, "records\\[0\\].retired_at"),
        ({"expires_at": "soon"}, "records\\[0\\].expires_at"),
    ],
)
def test_states_are_checked(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    with Memory(tmp_path / "m.memspan", HashEmbedder(dim=16)) as memory:
        with pytest.raises(InvalidArgumentError, match=message):
            memory.add_records([record("m", **fields)])
        assert memory.stats()["records"] == 0


def test_a_store_of_version_6_says_whose_states_they_are(path: Path, old_store: MakeOld) -> None:
    with old_store(6) as old:
        old.execute("INSERT INTO users VALUES (1, 'ana', 1), (2, 'ben', 1)")
        for pk, user_pk, kind, metadata in (
            (7, 1, "episodic", '{"ended":{"action":"supersede","by":["n"]}}'),
            (8, 2, "procedural", "{}"),
            (9, 2, "episodic", "{}"),
        ):
            old.execute(
                "INSERT INTO records VALUES (?, ?, 'm' || ?, 1, ?, 1, NULL, 1, NULL, NULL, NULL, NULL, 1.0, "
                "'[]', '[]', '[]', ?, 'words', zeroblob(12))",
                (pk, user_pk, pk, kind, metadata),
            )
        old.execute("INSERT INTO record_states VALUES (7, 5, NULL, 0, 0), (9, NULL, NULL, 1, 0)")
    store = SqliteStore(path)
    assert store.check() == []
    with store.reading() as reader:
        assert reader.beliefs.endings("ana", ["m7", "m8"]) == [("m7", "m7", ("n",))]
        assert reader.beliefs.ended("ana", ["n", "o"]) == [("m7", "m7", ("n",))]
        assert reader.beliefs.endings("ben", ["m7", "m8", "m9"]) == reader.beliefs.ended("ben", ["n"]) == []
        assert reader.quotas.pinned("ben") == [("ben", "episodic", 1)]
        assert reader.quotas.pinned("ana") == []
        assert [record.id for record in reader.transcripts.procedures("ben")] == ["m8"]
    store.close()
