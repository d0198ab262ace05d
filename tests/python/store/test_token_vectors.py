"""Token vectors stay with the words that they were made of, and go with them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memspan import HashEmbedder, Memory
from memspan.errors import StoreError
from memspan.records import Record
from memspan.store import SqliteStore, inspect
from memspan.store.schema import tables
from memspan.times import from_micros

Make = Callable[..., Record]
MakeOld = Callable[[int], AbstractContextManager[sqlite3.Connection]]
Matrix = NDArray[np.int8]
DIM = 96
NOW = 1_800_000_000_000_000
SECRET = b"Mockingbird"


def matrix(seed: int, rows: int = 5) -> Matrix:
    return np.random.default_rng(seed).integers(-127, 128, (rows, DIM), np.int8)


def secret_matrix() -> Matrix:
    return np.frombuffer(SECRET + b"?" * (DIM - len(SECRET)), np.int8).reshape(1, DIM)


def put(store: SqliteStore, *records: Record) -> None:
    with store.writing() as writer:
        writer.put(records)


def give(store: SqliteStore, **vectors: Matrix) -> None:
    with store.writing() as writer:
        writer.put_token_vectors("ana", vectors)


def found(store: SqliteStore, *ids: str, user: str = "ana") -> dict[str, Matrix]:
    with store.reading() as reader:
        return {id_: kept.vectors for id_, kept in reader.token_vectors(user, ids, DIM).items()}


def missing(store: SqliteStore, user: str | None = "ana") -> list[str]:
    with store.reading() as reader:
        return [record.id for _, record in reader.without_token_vectors(user, -1, 10_000)]


def rows(store: SqliteStore) -> int:
    with store.reading() as reader:
        return int(reader._one("SELECT count(*) FROM token_vectors"))


def test_what_goes_in_comes_out(store: SqliteStore, make_record: Make) -> None:
    put(store, *(make_record(f"m{i}") for i in range(1500)), make_record("m1", user="ben"))
    wanted = {f"m{i}": matrix(i, 1 + i % 64) for i in range(1100)}
    give(store, **wanted)
    with store.reading() as reader:
        kept = reader.token_vectors("ana", [f"m{i}" for i in range(1600)], DIM)
        versions = reader.record_versions("ana", [f"m{i}" for i in range(1600)])
        assert reader.token_vectors("ben", ["m1"], DIM) == reader.token_vectors("ana", [], DIM) == {}
        assert reader.token_vectors("nobody", ["m1"], DIM) == reader.record_versions("nobody", ["m1"]) == {}
        pks = dict(reader._all("SELECT id, pk FROM records WHERE user_pk = ?", (reader._user_pk("ana"),)))
    assert kept.keys() == wanted.keys()
    for id_, (pk, sequence, vectors) in kept.items():
        assert (pk, sequence) == versions[id_] == (pks[id_], 1)
        assert vectors.dtype == np.int8
        assert not vectors.flags.writeable
        np.testing.assert_array_equal(vectors, wanted[id_])
    assert versions.keys() == {f"m{i}" for i in range(1500)}
    give(store, m0=matrix(77))
    np.testing.assert_array_equal(found(store, "m0")["m0"], matrix(77))
    assert store.check() == []


def test_rows_lie_one_after_the_other(store: SqliteStore, make_record: Make) -> None:
    """However the array lies in memory."""
    put(store, make_record("m"), make_record("empty"))
    by_columns = np.asfortranarray(matrix(1))
    give(store, m=by_columns, empty=matrix(1, rows=0))
    kept = found(store, "m", "empty")
    np.testing.assert_array_equal(kept["m"], by_columns)
    assert kept["empty"].shape == (0, DIM)
    assert missing(store) == [], "nothing to compare is not the same as nothing made yet"
    with store.reading() as reader:
        blob = reader._one("SELECT vectors FROM token_vectors ORDER BY record_pk")
    assert blob == matrix(1).tobytes()


def test_ids_that_are_no_records_are_passed_over(store: SqliteStore, make_record: Make) -> None:
    put(store, make_record("m"), make_record("label", kind="vault"))
    with store.writing() as writer:
        writer.put_token_vectors("ana", {"gone": matrix(1), "m": matrix(2), "label": matrix(3)})
        writer.put_token_vectors("nobody", {"m": matrix(4)})
        assert writer.users() == ["ana"]
    assert found(store, "gone", "m", "label").keys() == {"m"}
    assert rows(store) == 1


def test_vectors_of_an_older_text_are_passed_over(store: SqliteStore, make_record: Make) -> None:
    put(store, make_record("same"), make_record("changed"))
    as_of = store.sequence()
    put(store, make_record("changed", text="other words"))
    with store.writing() as writer:
        vectors = {"same": matrix(1), "changed": matrix(2)}
        writer.put_token_vectors("ana", vectors, as_of=as_of)
    assert found(store, "same", "changed").keys() == {"same"}
    assert missing(store) == ["changed"]


def test_the_change_counter_stays(store: SqliteStore, make_record: Make) -> None:
    put(store, make_record("m"))
    before = store.sequence()
    give(store, m=matrix(1))
    assert store.sequence() == before
    with store.writing() as writer:
        writer.drop_token_vectors()
    assert store.sequence() == before + 1  # other handles have to notice that the model is another one
    assert rows(store) == 0
    put(store, make_record("n"))
    assert store.sequence() == before + 2


IMAGES = {"images": ["a red boat"], "source": "x"}
SAME_WORDS: list[dict[str, Any]] = [
    {},
    {"importance": 0.5},
    {"pinned": True},
    {"held": True},
    {"retired_at": from_micros(NOW)},
    {"tags": ("camping",), "entities": ("Oslo",), "sources": ("m2",)},
    {"at": from_micros(NOW), "session": "another", "kind": "semantic"},
    {"metadata": {"ended": {"by": ["m2"]}, "images": ["a red boat"]}},
    {"embedding": np.array([9.0, 2.0, 3.0], np.float32)},
]
OTHER_WORDS: list[dict[str, Any]] = [
    {"text": "other words"},
    {"speaker": "Ben"},
    {"speaker": None},
    {"metadata": {"images": ["a blue boat"]}},
    {"metadata": {"source": "x"}},
    {"kind": "vault"},
]


@pytest.mark.parametrize("fields", SAME_WORDS, ids=str)
def test_a_change_that_keeps_the_words_keeps_the_vectors(
    store: SqliteStore, make_record: Make, fields: dict[str, Any]
) -> None:
    record = make_record("m", speaker="Ana", metadata=IMAGES)
    put(store, record, make_record("n"))
    give(store, m=matrix(1), n=matrix(2))
    with store.reading() as reader:
        before = reader.token_vectors("ana", ["m"], DIM)["m"]
    put(store, replace(record, **fields))
    with store.reading() as reader:
        after = reader.token_vectors("ana", ["m"], DIM)["m"]
        assert reader.record_versions("ana", ["m"]) == {"m": after[:2]}
    np.testing.assert_array_equal(after.vectors, matrix(1))
    assert after.pk > before.pk
    assert after.sequence > before.sequence
    np.testing.assert_array_equal(found(store, "n")["n"], matrix(2))
    assert rows(store) == 2
    assert store.check() == []


@pytest.mark.parametrize("fields", OTHER_WORDS, ids=str)
def test_a_change_of_the_words_loses_the_vectors(
    store: SqliteStore, make_record: Make, fields: dict[str, Any]
) -> None:
    """Also where a caller gives the same embedding for other words."""
    record = make_record("m", speaker="Ana", metadata=IMAGES)
    put(store, record, make_record("n"))
    give(store, m=matrix(1), n=matrix(2))
    put(store, replace(record, **fields))
    assert found(store, "m", "n").keys() == {"n"}
    assert rows(store) == 1
    assert missing(store) == ([] if "kind" in fields else ["m"])


def test_many_changes_at_once(store: SqliteStore, path: Path, make_record: Make) -> None:
    """New records, known ones with and without vectors, of two users, by a writer that has just come."""
    put(store, *(make_record(f"m{i}", user=user) for i in range(700) for user in ("ana", "ben")))
    with store.writing() as writer:
        for user, seed in (("ana", 0), ("ben", 1000)):
            writer.put_token_vectors(user, {f"m{i}": matrix(seed + i, 2) for i in range(0, 700, 2)})
    changed = [
        make_record(f"m{i}", user=user, importance=0.5, **({"text": "new"} if i % 3 == 0 else {}))
        for i in range(100, 900)
        for user in ("ben", "ana")
    ]
    other = SqliteStore(path)
    with other.writing() as writer:
        writer.put(changed)
        # Once more in the same transaction.
        writer.put(changed[:400])
    other.close()
    wanted = {i for i in range(0, 700, 2) if i < 100 or i % 3}
    for user, seed in (("ana", 0), ("ben", 1000)):
        kept = found(store, *(f"m{i}" for i in range(900)), user=user)
        assert kept.keys() == {f"m{i}" for i in wanted}
        for i in wanted:
            np.testing.assert_array_equal(kept[f"m{i}"], matrix(seed + i, 2))
    assert store.check() == []


def test_changes_read_nothing_where_there_are_none(store: SqliteStore, make_record: Make) -> None:
    put(store, make_record("m"), make_record("n"))
    put(store, make_record("m", importance=0.5))
    statements: list[str] = []
    with store.writing() as writer:
        writer._connection.set_trace_callback(statements.append)
        writer.put([make_record("m"), make_record("new")])
        writer._connection.set_trace_callback(None)
    assert [line for line in statements if "FROM token_vectors" in line or "JOIN token_vectors" in line] == []
    give(store, n=matrix(1))
    put(store, make_record("n", importance=0.5))
    assert found(store, "n").keys() == {"n"}


def test_a_transaction_that_fails_leaves_them(store: SqliteStore, make_record: Make) -> None:
    put(store, make_record("m"))
    give(store, m=matrix(1))

    def drop_and_fail() -> None:
        with store.writing() as writer:
            writer.drop_token_vectors()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        drop_and_fail()
    put(store, make_record("m", importance=0.5))
    assert found(store, "m").keys() == {"m"}


def test_other_embeddings_leave_them(store: SqliteStore, make_record: Make) -> None:
    put(store, make_record("m"))
    give(store, m=matrix(1))
    with store.writing() as writer:
        writer.stage([make_record("m")], np.ones((1, 3), np.float32), writer.sequence())
        writer.adopt_staged()
    np.testing.assert_array_equal(found(store, "m")["m"], matrix(1))


def test_they_go_with_their_records(store: SqliteStore, make_record: Make) -> None:
    put(store, *(make_record(id_) for id_ in ("stays", "removed")), make_record("b", user="ben"))
    give(store, stays=matrix(1), removed=matrix(2))
    with store.writing() as writer:
        writer.put_token_vectors("ben", {"b": matrix(3)})
        assert writer.remove("ana", ["removed"]) == 1
        assert writer.remove_user("ben") == 1
    assert rows(store) == 1
    put(store, make_record("removed"), make_record("b", user="ben"))
    assert found(store, "stays", "removed").keys() == {"stays"}
    assert found(store, "b", user="ben") == {}


def test_an_evicted_record_gets_them_anew_when_it_comes_back(store: SqliteStore, make_record: Make) -> None:
    record = make_record("m")
    put(store, record, make_record("n"))
    give(store, m=matrix(1), n=matrix(2))
    with store.writing() as writer:
        writer.cold.evict([record], NOW)
    assert found(store, "m", "n").keys() == {"n"}
    assert rows(store) == 1
    assert missing(store) == []
    with store.writing() as writer:
        writer.put([record])
        writer.cold.drop("ana", ["m"])
    assert missing(store) == ["m"]


def test_what_has_none_in_pages(store: SqliteStore, make_record: Make) -> None:
    put(store, *(make_record(f"m{i}", user=user) for i in range(20) for user in ("ana", "ben")))
    put(store, make_record("label", kind="vault"), make_record("pinned", pinned=True))
    give(store, **{f"m{i}": matrix(i) for i in range(0, 20, 2)})
    own = [f"m{i}" for i in range(1, 20, 2)] + ["pinned"]
    for user, wanted in (("ana", own), ("ben", [f"m{i}" for i in range(20)])):
        last, ids = -1, []
        with store.reading() as reader:
            while page := reader.without_token_vectors(user, last, 4):
                assert len(page) <= 4
                for pk, record in page:
                    assert pk > last
                    last = pk
                    assert record.user == user
                    assert record.embedding is None
                    assert record.pinned is (record.id == "pinned")
                    ids.append(record.id)
        assert ids == wanted
    with store.reading() as reader:
        everybody = [pk for pk, _ in reader.without_token_vectors(None, -1, 100)]
        assert len(everybody) == 31
        rest = reader.without_token_vectors(None, everybody[8], 100)
        assert [pk for pk, _ in rest] == everybody[9:]
        assert reader.without_token_vectors("nobody", -1, 100) == []
    with store.writing() as writer:
        writer.drop_token_vectors()
    assert len(missing(store, None)) == 41


def test_a_damaged_row_is_named(store: SqliteStore, path: Path, make_record: Make) -> None:
    put(store, make_record("m"), make_record("n"))
    give(store, m=matrix(1), n=matrix(2))
    with store.writing() as writer:
        writer._connection.execute("UPDATE token_vectors SET vectors = zeroblob(95) WHERE record_pk = 1")
    assert found(store, "n").keys() == {"n"}
    with pytest.raises(StoreError, match=r"agent\.memspan: .* 'm' of user 'ana' .* 95 bytes .* 96"):
        found(store, "m", "n")


def test_a_store_of_version_5_gets_the_table(path: Path, make_record: Make, old_store: MakeOld) -> None:
    with old_store(5) as old:
        old.execute("INSERT INTO users VALUES (1, 'ana', 1)")
        old.execute(
            "INSERT INTO records VALUES (7, 1, 'm', 1, 'episodic', 1, NULL, 1, NULL, NULL, NULL, NULL, 1.0, "
            "'[]', '[]', '[]', '{}', 'words', zeroblob(12))"
        )
    before = inspect(path)
    assert before is not None
    assert (before.schema, before.pending) == (5, tables.SCHEMA_VERSION - 5)
    store = SqliteStore(path)
    assert store.check() == []
    assert store.sequence() == 1
    assert missing(store) == ["m"]
    give(store, m=matrix(1))
    put(store, make_record("m", text="words", importance=0.5))
    np.testing.assert_array_equal(found(store, "m")["m"], matrix(1))
    store.close()


def occurrences(folder: Path) -> int:
    return sum(file.read_bytes().count(SECRET) for file in folder.iterdir())


@pytest.mark.parametrize("whole_user", [False, True])
def test_forgetting_leaves_no_bytes_of_them(path: Path, whole_user: bool) -> None:
    """Nor of the rows that went along with changes of the record."""
    memory = Memory(path, HashEmbedder(dim=16))
    memory.add([{"id": f"m{i}", "text": f"note {i}"} for i in range(40)], user="ana")
    memory.add([{"id": "m1", "text": "stays"}], user="ben")
    beside = SqliteStore(path)
    give(beside, m7=secret_matrix(), **{f"m{i}": matrix(i) for i in range(20, 40)})
    for pinned in (True, False):
        (memory.pin if pinned else memory.unpin)(user="ana", ids=["m7"])
    np.testing.assert_array_equal(found(beside, "m7")["m7"], secret_matrix())
    assert rows(beside) == 21
    beside.close()
    assert occurrences(path.parent) > 0
    assert memory.forget(user="ana", id=None if whole_user else "m7") == (40 if whole_user else 1)
    assert occurrences(path.parent) == 0, "while the store is open"
    assert memory.verify() == []
    memory.close()
    assert occurrences(path.parent) == 0
    store = SqliteStore(path)
    assert rows(store) == (0 if whole_user else 20)
    store.close()


def test_changes_through_a_memory_keep_them(path: Path) -> None:
    with Memory(path, HashEmbedder(dim=16)) as memory:
        memory.add([{"id": "m1", "text": "about boats"}, {"id": "m2", "text": "of tea"}], user="ana")
        store = SqliteStore(path)
        give(store, m1=matrix(1), m2=matrix(2))
        memory.hold(user="ana", id="m1")
        memory.retire(user="ana", ids=["m2"])
        assert found(store, "m1", "m2").keys() == {"m1", "m2"}
        kept = memory.get(user="ana", id="m1")
        assert kept is not None
        memory.add_records([replace(kept, text="about ships")])
        assert found(store, "m1", "m2").keys() == {"m2"}
        store.close()
