"""Quotas and uses in a store."""

from __future__ import annotations

from collections.abc import Callable

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.quotas import StoredQuotas
from memspan.store.uses import Use

Make = Callable[..., Record]


def test_quotas_of_everybody_and_of_one(store: SqliteStore) -> None:
    with store.writing() as writer:
        assert writer.quotas.get(None) is None
        writer.quotas.set(None, "all")
    with store.writing() as writer:
        writer.quotas.set("ana", "hers")
    assert store.sequence() == 2
    with store.reading() as reader:
        assert (reader.quotas.get(None), reader.quotas.get("ana"), reader.quotas.get("ben")) == (
            "all",
            "hers",
            None,
        )
        assert reader.users() == ["ana"]
        assert reader.quotas.changed(0) == [StoredQuotas(None, "all"), StoredQuotas("ana", "hers")]
        assert reader.quotas.changed(1) == [StoredQuotas("ana", "hers")]
        assert reader.quotas.changed(2) == []


def test_quotas_that_are_taken_back_are_heard_of(store: SqliteStore) -> None:
    with store.writing() as writer:
        writer.quotas.set("ana", "hers")
    with store.writing() as writer:
        writer.quotas.set("ana", None)
    with store.reading() as reader:
        assert reader.quotas.get("ana") is None
        assert reader.quotas.changed(1) == [StoredQuotas("ana", None)]


def test_quotas_go_with_their_user(store: SqliteStore) -> None:
    with store.writing() as writer:
        writer.quotas.set("ana", "hers")
        writer.remove_user("ana")
    with store.reading() as reader:
        assert reader.quotas.get("ana") is None
        assert reader.quotas.changed(0) == []


def test_what_is_pinned(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put(
            [
                make_record("m1", pinned=True),
                make_record("m2", held=True),
                make_record("m3", kind="semantic", pinned=True, held=True),
                make_record("m4"),
                make_record("m1", user="ben", pinned=True),
            ]
        )
    with store.reading() as reader:
        assert reader.quotas.pinned("ana") == [("ana", "episodic", 2), ("ana", "semantic", 1)]
        assert reader.quotas.pinned()[-1] == ("ben", "episodic", 1)
        assert reader.quotas.pinned("eve") == []


def test_uses_add_up(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1"), make_record("m2"), make_record("m3")])
    before = store.sequence()
    with store.writing() as writer:
        writer.uses.add("ana", [Use("m1", 2, 70), Use("m2", 1, 50), Use("gone", 9, 99)], 100)
        writer.uses.add("ana", [Use("m1", 3, 60)], 101)
        writer.uses.add("nobody", [Use("m1", 3, 60)], 102)
    assert store.sequence() == before
    with store.reading() as reader:
        assert reader.uses.of("ana") == [Use("m1", 5, 70), Use("m2", 1, 50)]
        assert reader.uses.of("ana", ["m2", "m3"]) == [Use("m2", 1, 50)]
        assert reader.uses.of("nobody") == [] == reader.uses.of("nobody", ["m1"])
        m1, m2 = reader.uses.of("ana")
        assert list(reader.uses.written_after(-1, 1)) == [{"ana": [m2]}, {"ana": [m1]}]
        assert list(reader.uses.written_after(99, 9)) == [{"ana": [m2, m1]}]
        assert list(reader.uses.written_after(100, 9)) == [{"ana": [m1]}]
        assert list(reader.uses.written_after(101, 9)) == []
        assert list(reader.uses.changed(0, 1)) == [{"ana": [m1]}, {"ana": [m2]}]
        assert list(reader.uses.changed(reader.sequence(), 1)) == []


def test_uses_of_cold_records_count(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1")])
        writer.cold.evict(list(writer.fetch("ana", ["m1"], embeddings=True).values()), 0)
        writer.uses.add("ana", [Use("m1", 1, 5)], 9)
        assert writer.uses.of("ana") == [Use("m1", 1, 5)]
        assert writer.uses.forget("ana", ["m1", "m2"]) == 1
        assert writer.uses.of("ana") == []
