"""Stores of older schemas open, with everything that was in them."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path

import numpy as np
import pytest

from memspan.records import Record
from memspan.store import SqliteStore, inspect
from memspan.store.codec import COLUMNS, encode_record, pack_embedding
from memspan.store.schema import tables
from memspan.store.schema.migrations import schema_version
from memspan.store.traces import Chosen
from memspan.store.uses import Use

Make = Callable[..., Record]
MakeOld = Callable[[int], "AbstractContextManager[sqlite3.Connection]"]

# As the first release wrote it: a changed record kept its key and its place.
_PUT = (
    f"INSERT INTO records (user_pk, sequence, embedding, {', '.join(COLUMNS)}) "
    f"VALUES ({', '.join('?' * (len(COLUMNS) + 3))}) "
    "ON CONFLICT (user_pk, id) DO UPDATE SET sequence = excluded.sequence, embedding = excluded.embedding, "
    + ", ".join(f"{column} = excluded.{column}" for column in COLUMNS if column != "id")
)


class Version1:
    """A store of schema version 1, and what is in it."""

    def __init__(self, path: Path, make_record: Make) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA foreign_keys = ON")
        for statement in tables.MIGRATIONS[0]:
            self.connection.execute(statement)
        self.connection.execute(f"PRAGMA application_id = {tables.APPLICATION_ID}")
        self.connection.execute("PRAGMA user_version = 1")
        self.users = {"ana": 1, "ben": 2}
        for name, pk in self.users.items():
            self.connection.execute("INSERT INTO users VALUES (?, ?, 1)", (pk, name))
        self.make = make_record
        self.sequence = 0
        self.records: dict[tuple[str, str], tuple[int, Record]] = {}

    def put(self, user: str, id: str, **fields: object) -> None:
        self.sequence += 1
        record = self.make(id, user=user, text=f"as of {self.sequence}", **fields)
        assert record.embedding is not None
        row = (self.users[user], self.sequence, pack_embedding(record.embedding), *encode_record(record))
        self.connection.execute(_PUT, row)
        (pk,) = self.connection.execute(
            "SELECT pk FROM records WHERE user_pk = ? AND id = ?", (self.users[user], id)
        ).fetchone()
        self.connection.execute("DELETE FROM derivations WHERE derived_pk = ?", (pk,))
        for source in record.sources:
            self.connection.execute(
                "INSERT INTO derivations VALUES (?, ?, ?)", (self.users[user], source, pk)
            )
        self.connection.execute("UPDATE meta SET value = ? WHERE key = 'sequence'", (self.sequence,))
        self.records[user, id] = self.sequence, record

    def remove(self, user: str, id: str) -> None:
        self.connection.execute("DELETE FROM records WHERE user_pk = ? AND id = ?", (self.users[user], id))
        del self.records[user, id]


@pytest.mark.parametrize("seed", range(5))
def test_records_of_version_1_are_put_in_the_order_of_their_changes(
    path: Path, make_record: Make, seed: int
) -> None:
    chance = random.Random(seed)
    old = Version1(path, make_record)
    with closing(old.connection):
        for step in range(200):
            user, id_ = chance.choice(["ana", "ben"]), f"m{chance.randrange(60)}"
            if (user, id_) in old.records and chance.random() < 0.2:
                old.remove(user, id_)
            else:
                sources = tuple(f"m{i}" for i in chance.sample(range(60), chance.randrange(3)))
                old.put(user, id_, sources=sources, embedding=np.full(3, step + 1, np.float32))
        for (pk,) in old.connection.execute("SELECT pk FROM records ORDER BY pk LIMIT 20").fetchall():
            old.connection.execute(
                "INSERT INTO staged SELECT pk, sequence, embedding FROM records WHERE pk = ?", (pk,)
            )
    found = inspect(path)
    assert found is not None
    assert (found.schema, found.pending) == (1, tables.SCHEMA_VERSION - 1)

    store = SqliteStore(path)
    assert store.check() == []
    assert store.sequence() == old.sequence
    by_change = sorted(old.records, key=lambda key: old.records[key][0])
    with store.reading() as reader:
        pages = [record for page in reader.changed(0, 9) for record in page]
        assert [(record.user, record.id) for record in pages] == by_change
        for record in pages:
            expected = old.records[record.user, record.id][1]
            assert (record.text, record.sources) == (expected.text, expected.sources)
            np.testing.assert_array_equal(record.embedding, expected.embedding)
        for user in old.users:
            for source in (f"m{i}" for i in range(60)):
                assert reader.traces.chosen(user, Chosen(source=source)) == {
                    id_ for (owner, id_), (_, record) in old.records.items()
                    if owner == user and source in record.sources
                }  # fmt: skip
        middle = old.sequence // 2
        assert [record.id for page in reader.changed(middle, 9) for record in page] == [
            id_ for user, id_ in by_change if old.records[user, id_][0] > middle
        ]
        staged = reader._all(
            "SELECT s.embedding = r.embedding FROM staged s JOIN records r ON r.pk = record_pk"
        )
        assert set(staged) <= {(1,)}, "a staged vector belongs to its record or is gone"
        names = {name for (name,) in reader._all("SELECT name FROM sqlite_schema")}
    assert not names & {"moved", "records_by_sequence"}
    with store.writing() as writer:
        writer.put([make_record("new"), make_record("m0")])
    with store.reading() as reader:
        assert {record.id for page in reader.changed(old.sequence, 9) for record in page} == {"new", "m0"}
    store.close()


def test_a_store_whose_records_never_changed_keeps_its_keys(path: Path, make_record: Make) -> None:
    old = Version1(path, make_record)
    with closing(old.connection):
        for i in range(50):
            old.put("ana", f"m{i}")
        old.remove("ana", "m7")
        before = old.connection.execute("SELECT pk, id FROM records ORDER BY pk").fetchall()
    store = SqliteStore(path)
    with store.reading() as reader:
        assert reader._all("SELECT pk, id FROM records ORDER BY pk") == before
    store.close()


def test_a_store_of_version_1_without_records(path: Path, make_record: Make) -> None:
    Version1(path, make_record).connection.close()
    store = SqliteStore(path)
    assert store.sequence() == 0
    with store.reading() as reader:
        assert reader.users() == ["ana", "ben"]
    store.close()


def test_tags_and_relations_of_version_2_were_all_given(path: Path, make_record: Make) -> None:
    old = Version1(path, make_record)
    with closing(old.connection):
        for statement in tables.MIGRATIONS[1]:
            old.connection.execute(statement)
        old.connection.execute("PRAGMA user_version = 2")
        old.put("ana", "m1", tags=("camping",))
        old.connection.execute("INSERT INTO relations VALUES (1, 'outdoors', 'camping', 1)")
    store = SqliteStore(path)
    assert store.check() == []
    with store.writing() as writer:
        assert writer.fetch("ana", ["m1"])["m1"].tags == ("camping",)
        assert writer.relations() == [("ana", "outdoors", "camping")]
        assert writer.made_tags("ana") == {}
        assert writer.made_relations() == set()
        writer.put([make_record("m1", tags=("camping", "tent"))])
        writer.set_made_tags("ana", {"m1": ["tent"], "gone": ["x"]})
        assert writer.relate("ana", "camping", "tent", made=True)
    with store.reading() as reader:
        assert reader.made_tags("ana") == reader.made_tags("ana", ["m1", "m2"]) == {"m1": ("tent",)}
        assert reader.made_tags("ben") == reader.made_tags("ana", []) == {}
        assert reader.made_relations("ana") == {("ana", "camping", "tent")}
        assert reader.made_relations("ben") == set()
    with store.writing() as writer:
        assert not writer.relate("ana", "outdoors", "camping", made=True), "given stays given"
        assert not writer.relate("ana", "camping", "tent"), "made becomes given"
        assert writer.made_relations() == set()
        writer.put([make_record("m1", tags=("camping",))])
        assert writer.made_tags("ana") == {}
    assert store.check() == []
    store.close()


def test_a_store_of_version_3_gets_jobs(path: Path, make_record: Make) -> None:
    old = Version1(path, make_record)
    with closing(old.connection):
        for migration in tables.MIGRATIONS[1:3]:
            for statement in migration:
                old.connection.execute(statement)
        old.connection.execute("PRAGMA user_version = 3")
        old.put("ana", "m1")
    store = SqliteStore(path)
    assert store.check() == []
    with store.writing() as writer:
        assert writer.jobs.jobs() == []
        assert writer.jobs.usage(None, ()) == []
        writer.jobs.enqueue("ana", [("s", "m1")], "tiny", 1)
        (job,) = writer.jobs.claim("w", None, 1, 2, lambda name: 0)
        assert writer.jobs.turns(job.pk) == (["m1"], [])
    store.close()


def test_uses_of_version_9_count_as_written_last(path: Path, old_store: MakeOld) -> None:
    with old_store(9) as old:
        old.execute("INSERT INTO users VALUES (1, 'ana', 1)")
        old.execute("INSERT INTO uses VALUES (1, 'm1', 3, 50)")
        old.execute("INSERT INTO meta VALUES ('uses_written', '70')")
    store = SqliteStore(path)
    with store.reading() as reader:
        assert reader.uses.of("ana") == [Use("m1", 3, 50)]
        assert list(reader.uses.written_after(69, 9)) == [{"ana": [Use("m1", 3, 50)]}]
        assert list(reader.uses.written_after(70, 9)) == []
    store.close()


def test_uses_of_version_9_that_nobody_dated(path: Path, old_store: MakeOld) -> None:
    with old_store(9) as old:
        old.execute("INSERT INTO users VALUES (1, 'ana', 1)")
        old.execute("INSERT INTO uses VALUES (1, 'm1', 3, 50)")
    store = SqliteStore(path)
    with store.reading() as reader:
        assert list(reader.uses.written_after(-1, 9)) == [{"ana": [Use("m1", 3, 50)]}]
    store.close()


def test_a_store_that_another_process_makes_at_this_moment(path: Path) -> None:
    """Between two looks at a new file it gets its tables, its version and its mark."""
    made: list[SqliteStore] = []

    class Interrupted(sqlite3.Connection):
        def execute(self, statement: str, *parameters: object) -> sqlite3.Cursor:
            if "sqlite_schema" in statement and not made:
                made.append(SqliteStore(path))
            return super().execute(statement, *parameters)  # type: ignore[arg-type]

    with closing(sqlite3.connect(path, isolation_level=None)) as first:
        first.execute("PRAGMA journal_mode = WAL")
    with closing(sqlite3.connect(path, isolation_level=None, factory=Interrupted)) as connection:
        assert schema_version(connection, path) == 0
        assert schema_version(connection, path) == tables.SCHEMA_VERSION
    made[0].close()
