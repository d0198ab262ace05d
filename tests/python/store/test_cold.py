"""The cold tier of a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.documents import dump_record, load_record
from memspan.store.traces import Chosen
from memspan.times import from_micros, to_micros

Make = Callable[..., Record]
NOW = 1_800_000_000_000_000


def assert_same(one: Record, other: Record) -> None:
    for field in fields(Record):
        if field.name != "embedding":
            assert getattr(one, field.name) == getattr(other, field.name), field.name


@pytest.fixture
def full(make_record: Make) -> Record:
    """A record with something in every field."""
    moments = {name: from_micros(NOW + i) for i, name in enumerate(("until", "retired_at", "expires_at"))}
    return make_record(
        "full",
        kind="semantic",
        session="s1",
        speaker="Ana",
        tags=("camping",),
        entities=("Óslo",),
        importance=0.25,
        provenance="notes.txt",
        fidelity=0.9,
        sources=("m1", "m2"),
        pinned=True,
        held=True,
        metadata={"deep": {"list": [1, None, "ü"]}},
        **moments,
    )


def test_a_document_holds_every_field(full: Record, make_record: Make) -> None:
    assert_same(load_record("ana", dump_record(full)), full)
    plain = make_record(recorded_at=None)
    assert_same(load_record("ana", dump_record(plain)), plain)
    assert "tags" not in dump_record(plain)


def put(store: SqliteStore, *records: Record) -> None:
    with store.writing() as writer:
        writer.put(records)


def evict(store: SqliteStore, *ids: str, user: str = "ana") -> None:
    with store.writing() as writer:
        writer.cold.evict(list(writer.fetch(user, ids, embeddings=True).values()), NOW)


def test_evicting_moves_a_record(store: SqliteStore, full: Record, make_record: Make) -> None:
    put(store, full, make_record("m1"))
    before = store.sequence()
    evict(store, "full")
    assert store.sequence() == before + 1
    with store.reading() as reader:
        assert reader.ids("ana") == ["m1"]
        assert reader.cold.ids("ana") == ["full"]
        assert reader.cold.counts() == {"evicted": 1, "original": 0} == reader.cold.counts("ana")
        cold = reader.cold.fetch("ana", ["full", "m1", "unknown"], embeddings=True)["full"]
        assert_same(cold.record, full)
        assert (cold.reason, cold.moved_at) == ("evicted", from_micros(NOW))
        assert cold.record.embedding is not None
        np.testing.assert_array_equal(cold.record.embedding, full.embedding)  # type: ignore[arg-type]
        assert reader.cold.fetch("ana", ["full"])["full"].record.embedding is None
        assert reader.cold.fetch("ben", ["full"]) == {}
        assert reader.cold.moved(before) == [("ana", "full")]
        assert reader.cold.moved(before + 1) == []
        assert reader.removals(before).users == []
    assert store.check() == []


def test_the_sequence_survives_the_eviction_of_what_carried_it(store: SqliteStore, make_record: Make) -> None:
    put(store, make_record("m1"))
    with store.writing() as writer:
        writer.put([make_record("m2")])
        writer.cold.evict(list(writer.fetch("ana", ["m2"], embeddings=True).values()), NOW)
    assert store.sequence() == 2
    other = SqliteStore(store.path)
    assert other.sequence() == 2
    other.close()


def test_what_came_back_is_not_moved(store: SqliteStore, make_record: Make) -> None:
    record = make_record("m1")
    put(store, record)
    evict(store, "m1")
    put(store, record)
    with store.writing() as writer:
        assert writer.cold.moved(0) == []
        assert writer.cold.drop("ana", ["m1"]) == 1
        assert writer.cold.drop("ana", ["m1"]) == 0
        assert writer.cold.ids("ana") == []
    evict(store, "m1")
    with store.reading() as reader:
        assert reader.cold.moved(0) == [("ana", "m1")]


def test_the_last_comes_first(store: SqliteStore, make_record: Make) -> None:
    put(store, *(make_record(f"m{i}", kind="semantic" if i % 2 else "episodic") for i in range(6)))
    for i in (3, 0, 5, 1):
        evict(store, f"m{i}")
    with store.reading() as reader:

        def listed(k: int, kinds: Any = None) -> list[str]:
            return [cold.record.id for cold in reader.cold.latest("ana", k, kinds)]

        assert listed(10) == ["m1", "m5", "m0", "m3"]
        assert listed(2) == ["m1", "m5"]
        assert listed(10, ["semantic"]) == ["m1", "m5", "m3"]
        assert listed(10, ["episodic", "vault"]) == ["m0"]
        assert listed(10, []) == []
        assert reader.cold.latest("ben", 10) == []


def test_sources(store: SqliteStore, make_record: Make) -> None:
    put(
        store,
        make_record("turn1"),
        make_record("turn2"),
        make_record("fact1", sources=("turn1", "turn2"), provenance="chat"),
        make_record("fact2", sources=("turn1",)),
        make_record("abstract", sources=("fact1",)),
    )
    evict(store, "fact1")
    with store.reading() as reader:
        assert (
            reader.cold.derived("ana", ["turn2"])
            == {"fact1"}
            == reader.traces.chosen("ana", Chosen(source="chat"))
        )
        assert reader.traces.chosen("ana", Chosen(source="turn1")) == {"fact1", "fact2"}
        assert reader.cold.derived("ben", ["turn2"]) == set()
        assert reader.derived("ana", ["turn2"]) == {"fact1", "abstract"}
        assert reader.cold.unsourced("ana", ["fact1"]) == {"fact1": ("abstract",)}
        assert reader.cold.unsourced("ana", ["turn1", "turn2"]) == {}
    evict(store, "turn1")
    with store.reading() as reader:
        assert reader.cold.unsourced("ana", ["turn1", "fact1"]) == {
            "turn1": ("fact2",),
            "fact1": ("abstract",),
        }


def test_originals(store: SqliteStore, make_record: Make) -> None:
    record = make_record("m1", text="a long story")
    put(store, record)
    with store.writing() as writer:
        writer.cold.keep_originals([record], NOW)
        short = replace(record, text="a story")
        writer.put([short])
        writer.cold.keep_originals([short], NOW + 1)
    evict(store, "m1")
    with store.reading() as reader:
        originals = reader.cold.fetch("ana", ["m1"], reason="original")
        assert originals["m1"].record.text == "a long story"
        assert reader.cold.fetch("ana", ["m1"])["m1"].record.text == "a story"
        assert reader.cold.counts() == {"evicted": 1, "original": 1}
        assert [cold.record.text for cold in reader.cold.latest("ana", 5)] == ["a story"]


def test_originals_follow_their_records(store: SqliteStore, make_record: Make) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1")])
        writer.cold.keep_originals([make_record("m1", sources=("t",)), make_record("m2")], NOW)
        writer.cold.rename_originals("ana", {"m1": "m1@7", "unknown": "x"})
        writer.cold.rename_originals("ana", {})

        def texts() -> dict[str, str]:
            ids = writer.cold.ids("ana", "original")
            found = writer.cold.fetch("ana", ids, reason="original")
            return {id_: cold.record.text for id_, cold in found.items() if cold.record.id == id_}

        assert texts() == {"m1@7": "text of m1", "m2": "text of m2"}
        assert writer.cold.derived("ana", ["t"]) == {"m1@7"}
        writer.cold.rename_originals("ana", {"m2": "m1@7"})
        assert texts() == {"m1@7": "text of m2"}
        assert writer.cold.ids("ana") == []


def test_whether_there_is_anything(store: SqliteStore, make_record: Make) -> None:
    other = SqliteStore(store.path)
    with store.writing() as writer:
        assert writer.cold.empty
        assert not writer.cold.drop("ana", ["m1"])
    with other.writing() as writer:
        writer.put([make_record("m1")])
        writer.cold.keep_originals([make_record("m1")], NOW)
        assert not writer.cold.empty
    other.close()
    with store.writing() as writer:
        assert not writer.cold.empty
        assert not writer.quotas.get("ana")
    with store.reading() as reader:
        assert not reader.cold.empty


def test_losing_the_last_source_is_counted(store: SqliteStore, make_record: Make) -> None:
    turns = [make_record("t1"), make_record("t2")]
    put(store, *turns, make_record("a", sources=("t1",)), make_record("b", sources=("t1", "t2", "elsewhere")))
    put(store, make_record("c", user="ben", sources=("never there",)))
    evict(store, "t1")
    with store.reading() as reader:
        assert reader.cold.unsourced_records() == 1 == reader.cold.unsourced_records("ana")
        assert reader.cold.unsourced_records("ben") == 0
    evict(store, "t2")
    with store.reading() as reader:
        assert reader.cold.unsourced_records() == 2


def test_forgetting_leaves_nothing(store: SqliteStore, make_record: Make) -> None:
    record = make_record("m1", text="the secret", sources=("t",))
    put(store, record, make_record("m2"))
    with store.writing() as writer:
        writer.cold.keep_originals([record], NOW)
    evict(store, "m1")
    before = store.sequence()
    with store.writing() as writer:
        assert writer.cold.forget("ana", ["m1", "m2"]) == 2
        assert writer.cold.forget("ana", ["m1"]) == 0
        assert writer.cold.derived("ana", ["t"]) == set()
        # A handle that did not hear of the eviction compares the user with the store.
        assert writer.removals(before).users == ["ana"]
    store.erase()
    assert b"the secret" not in b"".join(file.read_bytes() for file in store.path.parent.iterdir())


def test_a_forgotten_user_takes_everything_along(store: SqliteStore, make_record: Make) -> None:
    put(store, make_record("m1", sources=("t",)))
    evict(store, "m1")
    with store.writing() as writer:
        writer.remove_user("ana")
        assert writer.cold.counts() == {"evicted": 0, "original": 0}
    assert store.check() == []


def test_expiring(store: SqliteStore, make_record: Make) -> None:
    ends = {
        "never": None,
        "long_ago": 1,
        "on_time": NOW,
        "just_after": NOW + 1,
        "full_second": NOW - NOW % 1_000_000,
    }
    records = [
        make_record(id_, expires_at=None if end is None else from_micros(end)) for id_, end in ends.items()
    ]
    put(store, *records)
    evict(store, *ends)
    with store.writing() as writer:
        keys = writer.cold.expired(NOW)
        expired = writer.cold.expire(keys[:1], NOW)
        assert list(expired) == ["ana"]
        assert len(expired["ana"]) == 1
        expired["ana"] += writer.cold.expire(keys, NOW)["ana"]
        assert sorted(record.id for record in expired["ana"]) == ["full_second", "long_ago", "on_time"]
        assert writer.cold.ids("ana") == ["just_after", "never"]
        assert writer.cold.expired(NOW) == []
        assert writer.cold.expire(keys, NOW) == {}


def test_what_is_meant_is_found_without_reading_texts(store: SqliteStore, make_record: Make) -> None:
    sessions, sources, kinds = (None, "s1", "s\0 2"), (None, "m\0 1", "notes.txt"), ("episodic", "semantic")
    records = [
        make_record(
            f"c{number}",
            text="long " * 5_000,
            at=from_micros(NOW + number // 12),
            session=sessions[number % 3],
            provenance=sources[number // 3 % 3],
            sources=("m\0 1", "m2") if number % 5 == 0 else (),
            kind=kinds[number % 2],
        )
        for number in range(36)
    ]
    put(store, *records)
    evict(store, *(record.id for record in records))
    times = (None, [(NOW, NOW + 1), (NOW + 2, None)], [(None, NOW + 1)])
    with store.reading() as reader:
        traces = reader.traces
        read = traces._all  # type: ignore[attr-defined]
        characters = 0

        def counted(*arguments: Any) -> list[Any]:
            nonlocal characters
            rows: list[Any] = read(*arguments)
            characters += sum(len(value) for row in rows for value in row if isinstance(value, str))
            return rows

        traces._all = counted  # type: ignore[attr-defined]
        for session, source, between, chosen in product(sessions, sources, times, (None, ["semantic"])):
            meant = {
                record.id
                for record in records
                if session in (None, record.session)
                and source in (None, record.provenance, *record.sources)
                and (chosen is None or record.kind in chosen)
                and (between is None or any(_inside(record, *interval) for interval in between))
            }
            wanted = Chosen(session=session, source=source, between=between, kinds=chosen)
            characters = 0
            assert traces.chosen("ana", wanted) == meant, wanted
            assert characters <= 50 * len(records)


def _inside(record: Record, start: int | None, end: int | None) -> bool:
    at = to_micros(record.at)
    return (start is None or start <= at) and (end is None or at < end)


def test_another_embedder(store: SqliteStore, make_record: Make) -> None:
    put(store, make_record("m1"))
    evict(store, "m1")
    with store.writing() as writer:
        writer.cold.drop_embeddings()
        assert writer.cold.fetch("ana", ["m1"], embeddings=True)["m1"].record.embedding is None
