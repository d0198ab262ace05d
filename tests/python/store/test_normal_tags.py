"""Tags of older stores, in which letters and their marks could be apart, and what nobody sees between them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from memspan import Memory
from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.codec import COLUMNS, encode_record, pack_embedding
from memspan.store.documents import dump_record

Make = Callable[..., Record]
MakeOld = Callable[[int], "AbstractContextManager[sqlite3.Connection]"]

APART = "cafe\u0301"
UNSEEN = "ca\u00adfé"


@pytest.fixture
def put(make_record: Make) -> Callable[..., None]:
    def put(old: sqlite3.Connection, pk: int, tags: tuple[str, ...], made: tuple[str, ...] = ()) -> None:
        record = make_record(f"m{pk}", tags=(*tags, *made))
        assert record.embedding is not None
        old.execute(
            f"INSERT INTO records (pk, user_pk, sequence, embedding, {', '.join(COLUMNS)}) "
            f"VALUES ({', '.join('?' * (len(COLUMNS) + 4))})",
            (pk, 1, pk, pack_embedding(record.embedding), *encode_record(record)),
        )
        if made:
            old.execute("INSERT INTO made_tags VALUES (?, ?)", (pk, json.dumps(made, ensure_ascii=False)))

    return put


def test_tags_of_version_11_become_one(
    path: Path, old_store: MakeOld, make_record: Make, put: Callable[..., None]
) -> None:
    with old_store(11) as old:
        old.execute("INSERT INTO users VALUES (1, 'ana', 9)")
        put(old, 1, (APART, "camping"))
        put(old, 2, ("café",), (APART, "\u3164", "tea\u200d"))
        put(old, 3, (UNSEEN,), ("café", "plain"))
        put(old, 4, ("plain",), ("other",))
        put(old, 5, ("क़" * 21,))  # composes to twice as many letters
        cold = dump_record(make_record("cold", tags=("cafe", UNSEEN, APART)), (APART, "tea\u200d"))
        old.execute("INSERT INTO cold VALUES (1, 1, 'cold', 7, 'evicted', 0, ?, NULL)", (cold,))
        same = dump_record(make_record("same", text="déjà vu", tags=("café",)), ("thé",))
        old.execute("INSERT INTO cold VALUES (2, 1, 'same', 8, 'evicted', 0, ?, NULL)", (same,))
        old.execute("INSERT INTO cold VALUES (3, 1, 'bad', 9, 'evicted', 0, '{\"tags\": é', NULL)")
        old.execute("INSERT INTO runs VALUES (1, 1, 'r', 'consolidate', 'done', 0, 0, '{}')")
        old.execute("INSERT INTO run_changes VALUES (1, 0, 1, 'cold', ?, NULL, NULL)", (cold,))
    store = SqliteStore(path)
    assert store.check() == []
    with store.reading() as reader:
        found = {
            id_: record.tags for id_, record in reader.fetch("ana", [f"m{i}" for i in range(1, 6)]).items()
        }
        assert found["m1"] == ("café", "camping")
        assert found["m2"] == ("café", "tea")
        assert found["m3"] == ("café", "plain")
        assert found["m4"] == ("plain", "other")
        assert found["m5"] == ("क\u093c" * 21,)
        assert reader.made_tags("ana") == {"m2": ("tea",), "m3": ("plain",), "m4": ("other",)}
        copies = {copy.record.id: copy for copy in reader.cold.fetch("ana", ["cold"]).values()}
        assert (copies["cold"].record.tags, copies["cold"].made_tags) == (("cafe", "café"), ("tea",))
        texts = reader._all("SELECT record FROM cold WHERE id <> 'cold' ORDER BY pk")
        assert texts == [(same,), ('{"tags": é',)], "what is damaged is left to who reads it"
        ((before,),) = reader._all("SELECT before FROM run_changes")
        assert json.loads(before)["tags"] == ["cafe", "café"]
    store.close()


def test_relations_of_version_11_lead_between_the_tags_that_are_left(path: Path, old_store: MakeOld) -> None:
    relations = {
        ("drinks", APART): 1,
        ("drinks", UNSEEN): 0,
        ("drinks", "tea"): 1,
        ("drinks", "tea\u200d"): 1,
        (APART, UNSEEN): 1,
        ("\u3164", "tea"): 0,
        ("a", "b"): 0,
        ("b", "c"): 0,
        ("c", "a\u0301"): 0,
        ("c", "a\u00ad"): 0,
        ("e", "e\u0301"): 0,
    }
    with old_store(11) as old:
        old.execute("INSERT INTO users VALUES (1, 'ana', 9)")
        old.execute("INSERT INTO users VALUES (2, 'ben', 9)")
        old.execute(
            "INSERT INTO jobs (pk, user_pk, id, recipe, created, updated) VALUES (1, 1, 'j', 'x', 0, 0)"
        )
        for (parent, child), made in relations.items():
            old.execute("INSERT INTO relations VALUES (1, ?, ?, 9, ?)", (parent, child, made))
            if made:
                old.execute("INSERT INTO job_relations VALUES (1, ?, ?, 1)", (parent, child))
        old.execute("INSERT INTO relations VALUES (2, 'c', 'a\u00ad', 9, 0)")
    store = SqliteStore(path)
    assert store.check() == []
    with store.reading() as reader:
        assert {(each.parent, each.child) for each in reader.relations("ana")} == {
            ("drinks", "café"), ("drinks", "tea"), ("a", "b"), ("b", "c"), ("c", "á"), ("e", "é"),
        }  # fmt: skip
        assert reader.made_relations() == {("ana", "drinks", "tea")}
        assert [(each.parent, each.child) for each in reader.relations("ben")] == [("c", "a")]
        assert reader._all("SELECT parent, child FROM job_relations") == [("drinks", "tea")]
        assert reader._all("SELECT name FROM sqlite_schema WHERE name = 'renamed'") == []
    store.close()


def test_a_memory_finds_by_either_spelling(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.memspan", "hash") as memory:
        memory.add({"id": "a", "text": "a cup", "tags": [APART]}, user="ana")
        memory.add({"id": "b", "text": "a mug", "tags": [UNSEEN, "café"]}, user="ana")
        memory.relate(user="ana", parent="drinks", child=APART)
        assert [(tag.name, tag.records) for tag in memory.tags("ana")] == [("café", 2), ("drinks", 0)]
        for tag in ("CAFÉ", APART, UNSEEN):
            assert {hit.id for hit in memory.search("cup", user="ana", require_tags=[tag])} == {"a", "b"}
        assert memory.get(user="ana", id="b").tags == ("café",)  # type: ignore[union-attr]
        assert memory.unrelate(user="ana", parent="drinks", child=UNSEEN)
    with closing(sqlite3.connect(tmp_path / "m.memspan")) as connection:
        assert connection.execute("SELECT DISTINCT tags FROM records").fetchall() == [('["café"]',)]
