"""Names that hold a NUL, at which SQLite ends the texts that it takes out of JSON."""

from __future__ import annotations

from collections.abc import Callable

from memspan.records import Record
from memspan.store import SqliteStore
from memspan.store.traces import Chosen
from memspan.times import from_micros

Make = Callable[..., Record]
NOW = from_micros(1_700_000_000_000_005)


def test_names_that_go_on_after_a_nul(store: SqliteStore, make_record: Make) -> None:
    id_ = "a\0\\u0000b"
    acts = {"actions": [{"tool": "t"}]}
    version = {"version_of": id_, "ended": {"by": [id_, "a"]}}
    with store.writing() as writer:
        writer.put(
            [
                make_record(id_, kind="procedural"),
                make_record(f"{id_}@1", retired_at=NOW, metadata=version, kind="procedural"),
                make_record("turn", session="s\0s", metadata=acts),
                make_record("other", session="s"),
            ]
        )
        writer.cold.evict([make_record("cold", provenance="mail\0x")], 1)
    with store.reading() as reader:
        assert reader.summary("ana")["versions"] == 1
        assert reader.beliefs.endings("ana", [f"{id_}@1", id_]) == [(f"{id_}@1", id_, (id_, "a"))]
        assert [record.id for record in reader.transcripts.procedures("ana")] == [id_]
        assert [turn.session for turn in reader.transcripts.turns("ana", 10)] == ["s\0s"]
        assert reader.traces.chosen("ana", Chosen(source="mail\0x")) == {"cold"}
        assert reader.traces.chosen("ana", Chosen(source="mail")) == set()
        assert reader.traces.versions("ana", [id_]) == reader.traces.bases("ana", [f"{id_}@1"]).keys()
        assert (
            reader.traces.mentioning("ana", [id_]) == reader.traces.mentioning("ana", ["a"]) == {f"{id_}@1"}
        )
        assert reader.traces.mentioning("ana", ["a\0"]) == set()
