"""`Memory.undo` of what a run sent to the cold tier, or brought back from there."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from memspan import Memory, Quotas, Record
from memspan.embed import HashEmbedder
from memspan.errors import UndoError
from memspan.lifecycle.sleep.applying import Applied, apply_changes
from memspan.lifecycle.sleep.changes import Change
from memspan.lifecycle.undo import undoing
from memspan.lifecycle.undo.journal import Journal
from memspan.lifecycle.undo.putting_back import PutBack
from memspan.remember.embedding import StoreEmbedder
from memspan.remember.tagging.made_tags import write_made_tags

from .test_undo import DAY, START, rows

FOUR = Quotas(
    capacity=6, shares={"episodic": 1 / 6, "semantic": 4 / 6, "procedural": 1 / 6}, eviction="oldest"
)


def fact(id: str, day: int, **fields: Any) -> Record:
    text = f"Ana went to town number {day * 7}."
    return Record(id=id, user="ana", text=text, at=START + day * DAY, kind="semantic", **fields)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.memspan", HashEmbedder(dim=64), auto_consolidate=False) as opened:
        opened.add_records([fact(f"f{day}", day) for day in range(4)])
        opened.set_quotas(FOUR, user="ana")
        yield opened


def updated(memory: Memory, old: str, new: str, journal: Journal) -> str:
    """What sleep does when a model says that `new` changes `old`; returns the id of the memory that it makes."""
    ending, evidence = memory.get(user="ana", id=old), memory.get(user="ana", id=new)
    assert ending is not None
    assert evidence is not None
    change = Change(action="update", ending=(ending,), evidence=(evidence,), text="Ana travels.")
    assert apply_changes(memory._engine, [change], journal=journal) == Applied(updated=1, made=(change.id,))
    journal.end(memory._engine, {})
    return change.id


def path(memory: Memory) -> Path:
    return Path(memory._engine.store.path)


def test_what_had_to_make_room_comes_back(memory: Memory):
    before = rows(path(memory))
    journal = Journal("ana")
    made = updated(memory, "f1", "f3", journal)
    # What has ended goes first, and that is what the run ended.
    assert [each.record.id for each in memory.evicted(user="ana")] == ["f1"]
    assert memory.runs("ana")[0].changes == 2
    assert memory.undo(journal.id) == (journal.id, 1, 1, (), ())
    assert rows(path(memory)) == before
    assert memory.get(user="ana", id=made) is None
    assert {hit.id for hit in memory.search("town", user="ana")} == {"f0", "f1", "f2", "f3"}
    assert memory.verify() == []


def test_another_handle_follows(memory: Memory):
    with Memory(path(memory), HashEmbedder(dim=64), auto_consolidate=False) as other:
        journal = Journal("ana")
        made = updated(memory, "f1", "f3", journal)
        assert {hit.id for hit in other.latest(user="ana")} == {"f0", "f2", "f3", made}
        memory.undo(journal.id)
        assert {hit.id for hit in other.latest(user="ana")} == {"f0", "f1", "f2", "f3"}


def test_made_tags_and_uses_come_back_with_it(memory: Memory):
    with memory._engine.changing() as change:
        write_made_tags(change, "ana", {"f1": ("made",)})
    memory.search("town number 7", user="ana")
    memory._engine.write_uses()
    with memory._engine.store.reading() as reader:
        (use,) = reader.uses.of("ana", ["f1"])
    journal = Journal("ana")
    updated(memory, "f1", "f3", journal)
    assert memory.evicted(user="ana")[0].record.tags == ()
    memory.undo(journal.id)
    assert memory.get(user="ana", id="f1").tags == ("made",)
    with memory._engine.store.reading() as reader:
        assert reader.made_tags("ana", ["f1"]) == {"f1": ("made",)}
        assert reader.uses.of("ana", ["f1"]) == [use]
    assert memory.verify() == []


def test_made_tags_come_back_with_a_restored_record_unless_they_were_forgotten(memory: Memory):
    with memory._engine.changing() as change:
        write_made_tags(change, "ana", {"f0": ("made",), "f1": ("made",)})
    memory.add_records([fact("g", 9), fact("h", 10)])
    assert [each.record.tags for each in memory.evicted(user="ana")] == [(), ()]
    memory.set_quotas(None, user="ana")
    with memory._engine.changing() as change:
        change.writer.cold.untag("ana", ["f1"])
    memory.restore(user="ana", ids=["f0", "f1"])
    assert memory.get(user="ana", id="f0").tags == ("made",)
    assert memory.get(user="ana", id="f1").tags == ()
    with memory._engine.store.reading() as reader:
        assert reader.made_tags("ana") == {"f0": ("made",)}


def test_nothing_makes_room_for_what_comes_back(memory: Memory):
    journal = Journal("ana")
    made = updated(memory, "f1", "f3", journal)
    memory.pin(user="ana", ids=[made])
    memory.add_records([fact("new", 20)])
    before = {hit.id for hit in memory.latest(user="ana")}
    with pytest.raises(UndoError):
        memory.undo(journal.id)
    assert memory.undo(journal.id, leave_changed=True) == (journal.id, 1, 0, (made,), ("f1",))
    assert {hit.id for hit in memory.latest(user="ana")} == before
    (cold,) = (each.record for each in memory.evicted(user="ana") if each.record.id == "f1")
    assert (cold.until, cold.retired_at) == (None, None)


def test_restored_by_hand_it_is_put_right_where_it_is(memory: Memory):
    before = rows(path(memory))
    journal = Journal("ana")
    made = updated(memory, "f1", "f3", journal)
    memory.set_quotas(None, user="ana")
    assert memory.restore(user="ana", ids=["f1"]) == ["f1"]
    assert memory.undo(journal.id) == (journal.id, 1, 1, (), ())
    assert rows(path(memory)) == before
    assert memory.get(user="ana", id=made) is None


def test_what_others_evicted_since_stays_cold_with_what_it_said(memory: Memory):
    memory.set_quotas(None, user="ana")
    journal = Journal("ana")
    made = updated(memory, "f1", "f3", journal)
    memory.set_quotas(FOUR, user="ana")
    assert [each.record.id for each in memory.evicted(user="ana")] == ["f1"]
    undone = memory.undo(journal.id)
    assert undone == (journal.id, 1, 1, (), ("f1",))
    (cold,) = memory.evicted(user="ana")
    assert (cold.record.until, cold.record.retired_at) == (None, None)
    assert memory.get(user="ana", id=made) is None
    assert memory.restore(user="ana", ids=["f1"]) == ["f1"]


def test_what_the_run_made_goes_from_the_cold_tier_too(memory: Memory):
    journal = Journal("ana")
    made = updated(memory, "f1", "f3", journal)
    memory.set_quotas(None, user="ana")
    memory.add_records([fact(f"n{day}", 20 + day) for day in range(4)])
    with memory._engine.changing() as change:
        change.apply(lambda index: index.remove(user="ana", ids=[made]))
        change.evicted.append(("ana", made))
    assert memory.undo(journal.id).removed == 1
    assert [each.record.id for each in memory.evicted(user="ana")] == []
    assert memory.verify() == []


def test_what_lay_in_the_cold_tier_goes_back_there(memory: Memory):
    memory.add_records([fact("g", 9)])
    before = rows(path(memory))
    (cold,) = memory.evicted(user="ana")
    assert cold.record.id == "f0"
    journal = Journal("ana")
    memory.set_quotas(None, user="ana")
    with memory._engine.changing() as change:
        vector = memory._engine.embedder.documents(["Ana moved."])[0]
        journal.write(change, [replace(cold.record, text="Ana moved.", embedding=vector)])
    journal.end(memory._engine, {})
    memory.set_quotas(FOUR, user="ana")
    assert memory.evicted(user="ana")[0].record.text == "Ana moved."
    memory.undo(journal.id)
    assert memory.evicted(user="ana")[0].record.text == cold.record.text
    assert rows(path(memory))["records"] == before["records"]
    assert rows(path(memory))["cold"] == before["cold"]


def test_quotas_that_sleep_keeps_to_are_undone(memory: Memory):
    memory.set_quotas(None, user="ana")
    with memory._engine.store.writing() as writer:  # As if the process had died after it.
        writer.quotas.set("ana", FOUR.dump())
        writer.put([fact("g", 9, recorded_at=START, embedding=memory.get(user="ana", id="f0").embedding)])
    report = memory.consolidate("ana").upkeep
    assert (report.evicted, len(report.runs)) == (1, 1)
    undone = memory.undo(report.runs[0])
    assert undone == (report.runs[0], 1, 0, (), ("f0",))  # No room.
    assert memory.verify() == []


def test_what_something_was_made_of_is_not_taken_out(memory: Memory):
    memory.set_quotas(None, user="ana")
    journal = Journal("ana")
    made = updated(memory, "f1", "f3", journal)
    memory.add_records([fact("derived", 30, sources=(made,))])
    with pytest.raises(UndoError, match="made of them"):
        memory.undo(journal.id)
    assert memory.undo(journal.id, leave_changed=True).left == (made,)
    assert memory.get(user="ana", id=made) is not None


def test_after_a_conversion_it_is_embedded_anew(memory: Memory):
    journal = Journal("ana")
    updated(memory, "f1", "f3", journal)
    memory.reembed(HashEmbedder(dim=32))
    assert memory.undo(journal.id) == (journal.id, 1, 1, (), ())
    assert "f1" in {hit.id for hit in memory.search("town number 7", user="ana")}
    assert memory.verify() == []


def test_nobody_waits_for_the_embedder(memory: Memory, monkeypatch: pytest.MonkeyPatch):
    journal = Journal("ana")
    updated(memory, "f1", "f3", journal)
    memory.reembed(HashEmbedder(dim=32))
    embed, embedded = StoreEmbedder.documents, []

    def beside_a_writer(self: StoreEmbedder, texts: Sequence[str], *rest: Any) -> Any:
        with closing(sqlite3.connect(path(memory), timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
        embedded.extend(texts)
        return embed(self, texts, *rest)

    monkeypatch.setattr(StoreEmbedder, "documents", beside_a_writer)
    assert memory.undo(journal.id) == (journal.id, 1, 1, (), ())
    assert embedded == ["Ana went to town number 7."]


def test_tags_that_were_made_since_stay(memory: Memory):
    memory.set_quotas(None, user="ana")
    journal = Journal("ana")
    updated(memory, "f1", "f3", journal)
    with memory._engine.changing() as change:
        write_made_tags(change, "ana", {"f1": ("since",)})
    assert memory.undo(journal.id).left == ()
    back = memory.get(user="ana", id="f1")
    assert (back.tags, back.until) == (("since",), None)
    with memory._engine.store.reading() as reader:
        assert reader.made_tags("ana") == {"f1": ("since",)}


def test_what_expired_in_the_cold_tier_leaves_nothing_in_the_journal(memory: Memory):
    end = datetime.now(timezone.utc) + timedelta(milliseconds=300)
    memory.add_records([replace(memory.get(user="ana", id="f1"), expires_at=end, embedding=None)])
    journal = Journal("ana")
    updated(memory, "f1", "f3", journal)
    assert [each.record.id for each in memory.evicted(user="ana")] == ["f1"]
    sleep(0.35)
    memory.consolidate("ana")
    assert memory.evicted(user="ana") == []
    with memory._engine.store.reading() as reader:
        assert [each.record for each in reader.runs.changes(journal.id) if each.record == "f1"] == []
    assert memory.get(user="ana", id="f1") is None


def test_of_a_large_run_few_records_are_in_memory_at_a_time(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.set_quotas(None, user="ana")
    memory.add_records([fact(f"f{day}", day) for day in range(4, 40)])
    before, journal = rows(path(memory)), Journal("ana")
    with memory._engine.changing() as change:
        going = [f"f{day}" for day in range(40)]
        journal.follow(change)
        change.remove("ana", going)
        change.evicted += [("ana", id_) for id_ in going]
    journal.end(memory._engine, {})
    vectors: list[weakref.ref[Any]] = []
    alive: list[int] = []
    carry_out = PutBack.carry_out

    def counting(back: PutBack) -> Any:
        vectors.extend(weakref.ref(record.embedding) for record, _ in back._waiting)
        alive.append(sum(each() is not None for each in vectors))
        return carry_out(back)

    monkeypatch.setattr(undoing, "_PART", 4)
    monkeypatch.setattr(PutBack, "carry_out", counting)
    assert memory.undo(journal.id).restored == 40
    assert len(vectors) == 40
    assert max(alive) <= 8
    assert rows(path(memory)) == before
    assert memory.verify() == []
