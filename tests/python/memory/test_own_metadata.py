"""What a caller keeps in metadata under keys that the library needs itself: `ended`, `version_of`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan import InvalidArgumentError, Memory, WhereError
from memspan.limits import MAX_GIVEN_METADATA_BYTES
from memspan.records import Record
from memspan.remember.searching.where_then import where_then
from memspan.times import from_micros, now_micros

AT = datetime(2023, 5, 8, tzinfo=timezone.utc)
OWN = {"ended": "2021-06", "version_of": "2.0", "name": "apollo"}
MESSAGE = {"id": "p", "text": "Apollo project", "at": AT, "metadata": OWN}
Open = Callable[..., Memory]


def now() -> datetime:
    return from_micros(now_micros())


def add(memory: Memory, text: str = "Apollo project", **metadata: Any) -> None:
    memory.add({**MESSAGE, "text": text, "metadata": metadata or OWN}, user="a", kind="semantic")


def texts(memory: Memory, **more: Any) -> list[str]:
    return sorted(one.text for one in memory.search("Apollo", user="a", k=50, **more))


def supersede(memory: Memory) -> None:
    memory.supersede(user="a", id="p", text="Apollo was resumed")


def retire(memory: Memory) -> None:
    memory.retire(user="a", ids=["p"])


def overwrite(memory: Memory) -> None:
    add(memory, "Apollo was resumed", name="apollo")


@pytest.mark.parametrize("end", [supersede, retire, overwrite])
def test_they_are_there_again_wherever_it_reads_as_it_did(
    memory: Memory, end: Callable[[Memory], None]
) -> None:
    add(memory)
    before = now()
    end(memory)
    history = memory.history(user="a", id="p")
    assert history is not None
    assert history.versions[0].record.metadata == OWN
    for where in (
        {"ended": "2021-06"},
        {"version_of": "2.0"},
        {"ended": {"$gt": "2021-01", "$not": {"$contains": "x"}}},
        {"$or": [{"ended": "2021-06"}, {"name": "x"}]},
        {"$not": {"ended": "2022-06"}, "name": "apollo"},
        {"ended.action": {"$exists": False}},
    ):
        (then,) = memory.search("Apollo", user="a", as_of=before, where=where)
        assert then.record.metadata == OWN
    for where in ({"ended": {"$exists": False}}, {"ended": {"$ne": "2021-06"}}, {"version_of": "p"}):
        assert texts(memory, as_of=before, where=where) == []
    assert memory.verify() == []


@pytest.mark.parametrize("end", [supersede, retire])
def test_the_same_again_does_not_bring_back_what_ended(memory: Memory, end: Callable[[Memory], None]) -> None:
    add(memory)
    end(memory)
    left = texts(memory)
    add(memory)
    assert texts(memory) == left
    assert len(memory.history(user="a", id="p").versions) == 1  # type: ignore[union-attr]


def test_filters_find_what_was_true_then_by_them(memory: Memory) -> None:
    add(memory)
    memory.supersede(user="a", id="p", text="Apollo was resumed", at="2024-01-01")
    for more in ({}, {"as_of": now()}):
        assert texts(memory, valid_at="2023-06-01", where={"ended": "2021-06"}, **more) == ["Apollo project"]
        assert texts(memory, valid_at="2023-06-01", where={"ended": {"$exists": False}}, **more) == []


def test_undoing_gives_them_back(memory: Memory) -> None:
    add(memory)
    supersede(memory)
    memory.undo(memory.runs("a")[0].id)
    assert memory.get(user="a", id="p").metadata == OWN  # type: ignore[union-attr]


@pytest.mark.parametrize("value", [None, 7, ["x"], {"by": "p"}, {"action": "x", "by": "p"}, {"until": 5}])
def test_whatever_they_are(memory: Memory, value: Any) -> None:
    add(memory, ended=value)
    before = now()
    retire(memory)
    add(memory, ended=value)
    assert texts(memory) == []
    (then,) = memory.search("Apollo", user="a", as_of=before)
    assert then.record.metadata == {"ended": value}
    assert texts(memory, as_of=before, where={"ended": value}) == ["Apollo project"]


def test_what_is_nested_too_deep_hinders_no_ending(memory: Memory) -> None:
    value: Any = 1
    for _ in range(30):
        value = [value]
    add(memory, ended=value, name="apollo")
    before = now()
    retire(memory)
    (then,) = memory.search("Apollo", user="a", as_of=before)
    assert then.record.metadata == {"name": "apollo"}


def test_a_version_of_what_was_retired_by_other_means(memory: Memory) -> None:
    record = Record(id="p", user="a", text="Apollo project", at=AT, until=AT, recorded_at=AT, metadata=OWN)
    memory.add_records([replace(record, retired_at=now())])
    memory.add({"id": "p", "text": "Apollo was resumed"}, user="a")
    history = memory.history(user="a", id="p")
    assert history is not None
    (first, last) = history.versions
    assert (first.record.metadata, first.record.until) == (OWN, AT)
    assert (first.action, last.record.text) == ("", "Apollo was resumed")


def test_metadata_of_a_version_are_only_the_callers(memory: Memory) -> None:
    add(memory, name="apollo")
    before = now()
    add(memory, "Apollo was resumed", name="apollo")
    assert memory.history(user="a", id="p").versions[0].record.metadata == {"name": "apollo"}  # type: ignore[union-attr]
    (then,) = memory.search("Apollo", user="a", as_of=before)
    assert then.record.metadata == {"name": "apollo"}
    assert memory.stats("a")["versions"] == 1


def test_no_record_becomes_a_version_by_them(memory: Memory) -> None:
    steps = {"id": "p", "text": "Restart: stop it, start it.", "kind": "procedural", "metadata": OWN}
    memory.add(steps, user="a")
    assert [one.id for one in memory.procedures(user="a")] == ["p"]
    memory.add({"id": "q@1", "text": "tea", "metadata": {"version_of": "r"}}, user="a")
    memory.retire(user="a", ids=["q@1"])
    assert memory.stats("a")["versions"] == 0


def test_forgetting_what_they_name_leaves_them(memory: Memory) -> None:
    for value in ("p", {"x": "p"}):
        add(memory)
        memory.add({"id": "q", "text": "tea", "metadata": {"ended": {"by": value}}}, user="a")
        memory.forget(user="a", id="p")
        assert memory.get(user="a", id="q").metadata == {"ended": {"by": value}}  # type: ignore[union-attr]


def test_they_travel(memory: Memory, open_memory: Open, tmp_path: Path) -> None:
    add(memory)
    overwrite(memory)
    memory.export(None, tmp_path / "all.jsonl")
    other = open_memory(tmp_path / "other")
    other.load(tmp_path / "all.jsonl")
    for one in (memory, other):
        assert one.history(user="a", id="p").versions[0].record.metadata == OWN  # type: ignore[union-attr]
    memory.load(tmp_path / "all.jsonl")
    assert len(memory.history(user="a", id="p").versions) == 2  # type: ignore[union-attr]


def test_filters_that_name_none_of_them_stay_as_they_are(memory: Memory) -> None:
    for where in (
        None,
        {},
        {"name": "x"},
        {"$and": [{"name": "x"}]},
        {"endeds": 1},
        "odd",
        {"$and": 3},
        {1: 2},
    ):
        assert where_then(where) is where
    add(memory)
    for bad in (
        {"ended": {"$odd": 1}},
        {"$or": [{"ended": 1}, 3]},
        {"ended.": 1},
        {"$not": {"ended": {"$in": 1}}},
    ):
        with pytest.raises(ValueError, match="where"):
            texts(memory, as_of=now(), where=bad)


def test_filters_as_deep_as_without_a_time_are_read_or_refused_alike(memory: Memory) -> None:
    add(memory)

    def nested(levels: int) -> dict[str, Any]:
        where: dict[str, Any] = {"ended": "2021-06"}
        for _ in range(levels):
            where = {"$and": [where]}
        return where

    for levels in (0, 1, 12):
        assert texts(memory, as_of=now(), where=nested(levels)) == ["Apollo project"]
    for levels in (20, 300, 900):
        for more in ({}, {"as_of": now()}):
            with pytest.raises(WhereError):
                texts(memory, where=nested(levels), **more)


def test_what_a_caller_says_of_an_end_is_no_note(memory: Memory) -> None:
    add(memory, ended={"action": "sold", "by": "me"})
    for more in ({}, {"as_of": now()}, {"valid_at": now()}):
        assert texts(memory, where={"ended.action": "sold"}, **more) == ["Apollo project"]
        assert texts(memory, where={"ended": {"$exists": False}}, **more) == []


def test_notes_have_room_beside_as_much_as_a_caller_may_give(
    memory: Memory, open_memory: Open, path: Path
) -> None:
    """What could not be ended would also stop sleep, and with it that of all other users."""
    much = {"ended": "x" * (MAX_GIVEN_METADATA_BYTES - len('{"ended":""}'))}
    said = {"text": "Ana plays the piano by the river every Monday with her two sisters.", "metadata": much}
    memory.add([{"id": id_, "at": AT, **said} for id_ in "pq"], user="a", kind="semantic")
    assert memory.consolidate().upkeep.merged == 1
    (kept,) = memory.search("piano", user="a")
    assert memory.compress("a", kinds=["semantic"]).compressed == 1
    memory.add({"id": kept.id, "text": "tea", "at": AT, "metadata": much}, user="a", kind="semantic")
    memory.supersede(user="a", id=kept.id, text="coffee")
    memory.export(None, path.with_suffix(".jsonl"))
    other = open_memory(path.with_name("other.memspan"))
    other.load(path.with_suffix(".jsonl"))
    for one in (memory, other):
        history = one.history(user="a", id=kept.id)
        assert history is not None
        assert [belief.record.metadata["ended"] == much["ended"] for belief in history.versions] == [
            True,
            True,
        ]


def test_more_is_refused(memory: Memory) -> None:
    refused = "at most 983040 bytes as JSON"
    with pytest.raises(InvalidArgumentError, match=refused):
        add(memory, more="x" * MAX_GIVEN_METADATA_BYTES)
    with pytest.raises(InvalidArgumentError, match=refused):
        memory.add_records(
            [Record(id="p", user="a", text="tea", at=AT, metadata={"": "x" * MAX_GIVEN_METADATA_BYTES})]
        )
