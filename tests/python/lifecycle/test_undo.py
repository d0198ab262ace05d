"""`Memory.undo`: after it, the store and all answers are what they were before the run."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memspan import Memory, Record
from memspan.embed import HashEmbedder
from memspan.errors import InvalidArgumentError, UndoError
from memspan.lifecycle.merging.duplicates import Merging
from memspan.lifecycle.sleep.applying import apply_changes
from memspan.lifecycle.sleep.changes import Change, settled
from memspan.lifecycle.undo.journal import Journal

START = datetime(2023, 5, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
SUBJECTS = ("Ana", "Ben")
THINGS = ("green tea", "a red boat", "an old lamp")
ENDS = (".", " now.", " again.", "!")
QUESTIONS = ("Who likes green tea?", "boat", "lamp of Ben", "Ana")
ROWS = {
    "records": "SELECT u.name, r.* FROM records r JOIN users u ON u.pk = r.user_pk",
    "states": "SELECT r.id, s.* FROM record_states s JOIN records r ON r.pk = s.record_pk",
    "made_tags": "SELECT r.id, m.tags FROM made_tags m JOIN records r ON r.pk = m.record_pk",
    "derivations": "SELECT d.source, r.id FROM derivations d JOIN records r ON r.pk = d.derived_pk",
    "relations": "SELECT parent, child, made FROM relations",
    "cold": "SELECT id, reason, moved_at, record FROM cold",
}
MOVING = {"pk", "user_pk", "record_pk", "sequence"}
"""What every write of a record changes."""


def rows(path: Path) -> dict[str, list[str]]:
    """Everything that the store holds of memories."""
    found = {}
    with closing(sqlite3.connect(path)) as connection:
        for name, statement in ROWS.items():
            cursor = connection.execute(statement)
            names = [column[0] for column in cursor.description]
            lines = [
                [value for key, value in zip(names, row, strict=True) if key not in MOVING] for row in cursor
            ]
            found[name] = sorted(map(repr, lines))
    return found


def answers(memory: Memory) -> list[Any]:
    """What searches say, with scores, now and at other times."""
    times: list[dict[str, Any]] = [{}, {"valid_at": START + 3 * DAY}, {"as_of": START + 30 * DAY}]
    return [
        [
            (hit.id, round(hit.score, 6))
            for hit in memory.search(question, user="ana", k=20, kinds=["semantic", "episodic"], **when)
        ]
        for question in QUESTIONS
        for when in times
    ] + [sorted(hit.id for hit in memory.latest(user="ana", k=100))]


@st.composite
def memories(draw: st.DrawFn) -> list[Record]:
    count = draw(st.integers(2, 14))
    made = []
    for place in range(count):
        subject, thing, end = (draw(st.sampled_from(words)) for words in (SUBJECTS, THINGS, ENDS))
        day = draw(st.integers(0, 9))
        made.append(
            Record(
                id=f"f{place:02}",
                user="ana",
                text=f"{subject} likes {thing}{end}",
                at=START + day * DAY,
                recorded_at=START + (day + draw(st.integers(0, 3))) * DAY,
                kind=draw(st.sampled_from(("semantic", "semantic", "episodic"))),
                session=draw(st.sampled_from((None, "s1"))),
                until=draw(st.sampled_from((None, None, None, START + 20 * DAY))),
                importance=draw(st.sampled_from((None, 0.2, 0.9))),
                pinned=draw(st.integers(0, 6)) == 0,
                held=draw(st.integers(0, 9)) == 0,
                tags=tuple(draw(st.lists(st.sampled_from(("tea", "things")), max_size=2, unique=True))),
                entities=(subject,),
                sources=tuple(draw(st.lists(st.sampled_from(("t1", "t2", "t3")), max_size=2, unique=True))),
                metadata={"recipe": "lightmem", "place": place},
            )
        )
    return made


def decided(records: list[Record], data: st.DataObject) -> list[Change]:
    """What a model may want, of memories as they are now."""
    current = [one for one in records if one.until is None and one.retired_at is None]
    changes = []
    for place, target in enumerate(current[:-1]):
        action = data.draw(st.sampled_from(("keep", "keep", "merge", "update", "retire")))
        if action == "keep" or target.pinned or target.held:
            continue
        other = data.draw(st.sampled_from(current[place + 1 :]))
        if other.kind != target.kind or other.pinned or other.held:
            continue
        if action == "merge":
            both = f"{target.text} {other.text}"
            changes.append(Change(action="merge", ending=(target, other), text=both))
        elif action == "update":
            changes.append(
                Change(action="update", ending=(target,), evidence=(other,), text=f"Once, {target.text}")
            )
        else:
            changes.append(Change(action="retire", ending=(target,), evidence=(other,)))
    return settled(changes, lambda change: None)


def every(memory: Memory) -> list[Record]:
    with memory._engine.store.reading() as reader:
        return sorted(
            (record for batch in reader.scan("ana", 64) for record in batch), key=lambda one: one.id
        )


@settings(max_examples=25, deadline=None)
@given(records=memories(), tagged=st.booleans(), data=st.data())
def test_undo_restores_the_exact_state(records: list[Record], tagged: bool, data: st.DataObject):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "m.memspan")
        with Memory(path, HashEmbedder(dim=64), auto_consolidate=False) as memory:
            memory.add_records(records)
            if tagged:
                memory.tag("ana")
            before, answered = rows(path), answers(memory)
            runs = []
            for _ in range(data.draw(st.integers(1, 2))):
                merge = Merging(least=0.5, within=timedelta(days=data.draw(st.integers(0, 5))))
                runs += memory.consolidate("ana", merge=merge).upkeep.runs
                journal = Journal("ana")
                apply_changes(memory._engine, decided(every(memory), data), journal=journal)
                if journal.began:
                    journal.end(memory._engine, {})
                    runs.append(journal.id)
            restored = 0
            for run in reversed(runs):
                undone = memory.undo(run)
                restored += undone.restored
                assert undone.left == ()
            assert rows(path) == before
            assert answers(memory) == answered
            assert (restored > 0) == bool(runs)
            assert memory.verify() == []
        with Memory(path, HashEmbedder(dim=64), auto_consolidate=False) as memory:
            assert answers(memory) == answered


def fact(id: str, day: int = 0, **fields: Any) -> Record:
    text = fields.pop("text", "Ana drinks green tea in the morning.")
    return Record(id=id, user="ana", text=text, at=START + day * DAY, kind="semantic", **fields)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m.memspan", HashEmbedder(dim=64), auto_consolidate=False) as opened:
        opened.add_records([fact("a"), fact("b", 1), fact("c", text="Ana bought a saw.")])
        yield opened


def test_what_was_undone_is_not_done_again(memory: Memory):
    (run,) = memory.consolidate("ana").upkeep.runs
    undone = memory.undo(run)
    assert (undone.restored, undone.removed, undone.left) == (2, 0, ())
    assert memory.runs()[0].state == "undone"
    assert memory.consolidate("ana").upkeep.merged == 0
    with pytest.raises(UndoError, match="already"):
        memory.undo(run)


def test_it_is_in_the_audit(memory: Memory):
    (run,) = memory.consolidate("ana").upkeep.runs
    memory.undo(run)
    entries = [entry for entry in memory.audit(user="ana") if entry.action in ("consolidate", "undo")]
    assert sorted(entry.action for entry in entries) == ["consolidate", "undo"]
    details = {entry.action: entry.details for entry in entries}
    assert details["consolidate"] == {"merged": 1}
    assert details["undo"] == {"restored": 2, "removed": 0, "run": run}
    assert memory.verify() == []


def test_what_changed_since_is_not_overwritten(memory: Memory):
    (run,) = memory.consolidate("ana").upkeep.runs
    changed = replace(memory.get(user="ana", id="b"), text="Ana drinks coffee.", embedding=None)
    memory.add_records([changed])
    with pytest.raises(UndoError, match="1 of the 2 memories .* changed"):
        memory.undo(run)
    assert memory.get(user="ana", id="a").until is not None
    assert memory.undo(run, leave_changed=True).left == ("b",)
    assert memory.get(user="ana", id="b").text == "Ana drinks coffee."
    assert memory.get(user="ana", id="a").until is None


def test_what_was_forgotten_stays_forgotten(memory: Memory):
    (run,) = memory.consolidate("ana").upkeep.runs
    assert memory.forget(user="ana", id="b") == 1
    with memory._engine.store.reading() as reader:
        assert [each.record for each in reader.runs.changes(run)] == ["a"]
    assert memory.undo(run) == (run, 1, 0, (), ()), "what forgetting took from it is no change of somebody's"
    assert memory.get(user="ana", id="b") is None
    assert memory.get(user="ana", id="a").sources == ()


def test_rows_of_a_record_can_be_erased_alone(memory: Memory):
    (run,) = memory.consolidate("ana").upkeep.runs
    with memory._engine.store.writing() as writer:
        writer.runs.forget("ana", ["a"])
        assert [change.record for change in writer.runs.changes(run)] == ["b"]
    assert memory.undo(run).restored == 1


def test_pins_that_were_set_since_stay(memory: Memory):
    (run,) = memory.consolidate("ana").upkeep.runs
    memory.add_records([replace(memory.get(user="ana", id="b"), pinned=True)])
    memory.undo(run)
    now = memory.get(user="ana", id="b")
    assert (now.pinned, now.until) == (True, None)


def test_what_a_run_made_is_kept_when_somebody_pinned_it(memory: Memory):
    journal = Journal("ana")
    old, new = memory.get(user="ana", id="a"), memory.get(user="ana", id="b")
    change = Change(action="merge", ending=(old, new), text="Ana drinks green tea in the mornings.")
    apply_changes(memory._engine, [change], journal=journal)
    journal.end(memory._engine, {"merged": 1})
    assert memory.runs()[0].report == {"merged": 1}
    memory.add_records([replace(memory.get(user="ana", id=change.id), pinned=True)])
    with pytest.raises(UndoError):
        memory.undo(journal.id)


def test_a_run_that_was_interrupted_can_be_undone(memory: Memory):
    journal = Journal("ana")
    old, new = memory.get(user="ana", id="a"), memory.get(user="ana", id="b")
    change = Change(action="merge", ending=(old, new), text="Ana drinks green tea in the mornings.")
    apply_changes(memory._engine, [change], journal=journal)
    assert [(run.id, run.state, run.changes) for run in memory.runs("ana")] == [(journal.id, "running", 3)]
    assert memory.undo(journal.id).removed == 1
    assert memory.get(user="ana", id=change.id) is None


def test_runs_go_with_their_user_and_are_bounded(memory: Memory):
    for day in range(3):
        memory.add_records([fact(f"x{day}", text=f"Ana is in town number {day * 7}.")])
        memory.consolidate("ana")
    with memory._engine.store.reading() as reader:
        # One that merged a and b, and the last one, which says how far it got.
        assert len(reader.runs.runs()) == 2
    memory.forget(user="ana")
    with memory._engine.store.reading() as reader:
        assert reader.runs.runs() == []


@pytest.mark.parametrize("run", ["", "none", 3])
def test_unknown_runs_are_refused(memory: Memory, run: Any):
    with pytest.raises(InvalidArgumentError, match="run"):
        memory.undo(run)


def test_an_asynchronous_caller_has_all_of_it(memory: Memory):
    import asyncio

    async def round_trip() -> int:
        report = await memory.aconsolidate("ana")
        assert [run.id for run in await memory.aruns("ana")] == list(report.upkeep.runs)
        dry = await memory.aconsolidate("ana", dry_run=True)
        assert dry.upkeep.planned == ()
        return (await memory.aundo(report.upkeep.runs[0])).restored

    assert asyncio.run(round_trip()) == 2
