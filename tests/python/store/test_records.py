"""Records go in and come back unchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memspan.records import KINDS, Record
from memspan.store import SqliteStore
from memspan.store.codec import decode_record, encode_record, encode_state, pack_embedding, unpack_embedding
from memspan.store.traces import Chosen
from memspan.times import MAX_MICROS, MIN_MICROS, from_micros

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = texts.filter(bool)
moments = st.integers(MIN_MICROS, MAX_MICROS).map(from_micros)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | texts
    | st.floats(allow_nan=False, allow_infinity=False)
)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)
records = st.builds(
    Record,
    id=names,
    user=names,
    text=texts,
    at=moments,
    kind=st.sampled_from(KINDS),
    until=st.none() | moments,
    recorded_at=moments,
    session=st.none() | names,
    speaker=st.none() | names,
    tags=st.lists(names, max_size=3).map(tuple),
    entities=st.lists(names, max_size=3).map(tuple),
    importance=st.none() | st.floats(0, 1),
    provenance=st.none() | names,
    fidelity=st.floats(0.1, 1),
    sources=st.lists(names, max_size=3).map(tuple),
    metadata=st.dictionaries(texts, json_values, max_size=3),
    retired_at=st.none() | moments,
    expires_at=st.none() | moments,
    pinned=st.booleans(),
    held=st.booleans(),
)


def as_dict(record: Record) -> dict[str, object]:
    return {field.name: getattr(record, field.name) for field in fields(Record) if field.name != "embedding"}


@given(records)
def test_codec_round_trip(record: Record) -> None:
    assert as_dict(decode_record(record.user, (*encode_record(record), *encode_state(record)))) == as_dict(
        record
    )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(records, min_size=1, max_size=8, unique_by=lambda record: (record.user, record.id)))
def test_store_round_trip(tmp_path: Path, batch: list[Record]) -> None:
    store = SqliteStore(tmp_path / "agent.memspan")
    try:
        vector = np.array([0.5, -1.25, 3e-30], np.float32)
        complete = [Record(**as_dict(record), embedding=vector) for record in batch]  # type: ignore[arg-type]
        with store.writing() as writer:
            writer.put(complete)
        with store.reading() as reader:
            for record in batch:
                found = reader.fetch(record.user, [record.id], embeddings=True)[record.id]
                assert as_dict(found) == as_dict(record)
                assert found.embedding is not None
                np.testing.assert_array_equal(found.embedding, vector)
    finally:
        store.close()


def test_embeddings_are_little_endian_float32() -> None:
    assert pack_embedding(np.array([1.0], np.float32)) == b"\x00\x00\x80\x3f"
    assert unpack_embedding(b"\x00\x00\x80\x3f").tolist() == [1.0]


def test_fetch_returns_what_exists_and_leaves_embeddings_out(
    store: SqliteStore, make_record: Callable[..., Record]
) -> None:
    with store.writing() as writer:
        writer.put([make_record(f"m{i}") for i in range(3000)])
    with store.reading() as reader:
        found = reader.fetch("ana", [f"m{i}" for i in range(2500, 3500)])
        assert sorted(found) == sorted(f"m{i}" for i in range(2500, 3000))
        assert all(record.embedding is None for record in found.values())
        assert reader.fetch("nobody", ["m1"]) == {}


def test_put_replaces_everything(store: SqliteStore, make_record: Callable[..., Record]) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1", tags=("a",), sources=("s",), metadata={"x": 1}, speaker="bo")])
    with store.writing() as writer:
        writer.put([make_record("m1", text="new")])
    with store.reading() as reader:
        assert reader.count("ana") == 1
        assert as_dict(reader.fetch("ana", ["m1"])["m1"]) == as_dict(make_record("m1", text="new"))
        assert reader.traces.chosen("ana", Chosen(source="s")) == set()
        assert reader.tags("ana") == set()


def test_put_of_new_and_known_records_together(
    store: SqliteStore, make_record: Callable[..., Record]
) -> None:
    with store.writing() as writer:
        writer.put([make_record(f"m{i}", sources=("s",)) for i in range(600)])
    with store.writing() as writer:
        writer.put([make_record(f"m{i}", text="new", sources=("m1",)) for i in range(300, 900)])
        # Once more in the same transaction.
        writer.put([make_record("m899", text="newer"), make_record("m900", text="newer")])
    with store.reading() as reader:
        found = reader.fetch("ana", [f"m{i}" for i in range(901)])
        expected = {f"m{i}": f"text of m{i}" if i < 300 else "new" for i in range(899)}
        assert {id_: record.text for id_, record in found.items()} == expected | {
            "m899": "newer",
            "m900": "newer",
        }
        assert reader.traces.chosen("ana", Chosen(source="s")) == {f"m{i}" for i in range(300)}
        assert reader.traces.chosen("ana", Chosen(source="m1")) == {f"m{i}" for i in range(300, 899)}
        assert sorted(record.id for page in reader.changed(1, 1000) for record in page) == sorted(
            f"m{i}" for i in range(300, 901)
        )
    assert store.check() == []


def test_absent_values_are_stored_as_null(store: SqliteStore, make_record: Callable[..., Record]) -> None:
    with store.writing() as writer:
        writer.put([make_record("m1")])
        nullable = "until IS NULL, session IS NULL, speaker IS NULL, importance IS NULL, provenance IS NULL"
        assert writer._all(f"SELECT {nullable} FROM records") == [(1, 1, 1, 1, 1)]


def test_scan_pages_in_order_of_insertion(store: SqliteStore, make_record: Callable[..., Record]) -> None:
    with store.writing() as writer:
        writer.put([make_record(f"m{i}", user="ana" if i % 2 else "ben") for i in range(11)])
    with store.reading() as reader:
        assert [[record.id for record in page] for page in reader.scan("ana", 2)] == [
            ["m1", "m3"],
            ["m5", "m7"],
            ["m9"],
        ]
        assert sum(len(page) for page in reader.scan(None, 4)) == 11


def test_ids_come_in_pages_ascending(store: SqliteStore, make_record: Callable[..., Record]) -> None:
    with store.writing() as writer:
        writer.put([make_record(f"m{i}", user="ana" if i % 2 else "ben") for i in range(9)])
    with store.reading() as reader:
        assert list(reader.id_pages("ana", 3)) == [["m1", "m3", "m5"], ["m7"]]
        assert list(reader.id_pages("ana", 2)) == [["m1", "m3"], ["m5", "m7"]]
        assert list(reader.id_pages("nobody", 2)) == []
        assert sorted(id_ for page in reader.id_pages("ben", 1) for id_ in page) == sorted(reader.ids("ben"))
