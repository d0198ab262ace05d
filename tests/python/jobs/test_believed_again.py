"""What sleep ended because of a made record is believed again when a new run of its job takes that back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone

import pytest
from tiny_recipe import NoteTurns, note_fact, recipe_of

from memspan import Quotas, Record
from memspan.lifecycle.sleep.applying import apply_changes
from memspan.lifecycle.sleep.changes import Action, Change
from memspan.memory import Memory

OLD, LATER = note_fact("Ana has a cello"), note_fact("Ana sold her cello")


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """Two sessions, and so two jobs."""
    opened = open_memory(recipe=recipe_of(NoteTurns()))
    tell(opened, "t1", "Ana has a cello", 5)
    tell(opened, "t2", "Ana sold her cello", 6)
    return opened


def tell(memory: Memory, id: str, text: str, day: int) -> None:
    memory.add([{"id": id, "text": text}], user="ana", session=id, at=f"2023-05-0{day}")
    memory.process()


def believed(memory: Memory) -> set[str]:
    assert memory.verify() == []
    found = memory.search("cello", user="ana", k=10, kinds=["semantic"])
    return {recall.text for recall in found}


def made(memory: Memory) -> list[Record]:
    found = [recall.record for recall in memory.search("cello", user="ana", k=10, kinds=["semantic"])]
    return sorted(found, key=lambda record: record.at)


def sleep(memory: Memory, action: Action, text: str | None) -> None:
    first, second = made(memory)
    change = Change(action=action, ending=(first,), evidence=(second,), text=text)
    if action == "merge":
        change = Change(action=action, ending=(first, second), text=text)
    apply_changes(memory._engine, [change])


@pytest.mark.parametrize(("action", "text"), [("merge", "A, B"), ("update", "C"), ("retire", None)])
def test_when_a_turn_says_something_else(memory: Memory, action: Action, text: str | None) -> None:
    sleep(memory, action, text)
    assert OLD not in believed(memory)

    tell(memory, "t2", "Ana sold her piano", 6)

    assert believed(memory) == {OLD, note_fact("Ana sold her piano")}
    (again,) = (record for record in made(memory) if record.text == OLD)
    assert (again.until, again.retired_at) == (None, None)
    assert "ended" not in again.metadata
    assert again.tags == ("fact",)


def test_what_made_room_since(memory: Memory) -> None:
    ended = made(memory)[0].id
    sleep(memory, "update", "C")
    memory.set_quotas(Quotas(capacity=6, eviction="oldest"), user="ana")
    assert [one.record.id for one in memory.evicted("ana")] == [ended]

    tell(memory, "t2", "Ana sold her piano", 6)

    assert {one.record.id: one.record.retired_at for one in memory.evicted("ana")}[ended] is None
    assert memory.restore(user="ana", ids=[ended]) == [ended]
    assert OLD in believed(memory)


def test_of_two_that_were_merged_the_other_one(memory: Memory) -> None:
    sleep(memory, "merge", "A, B")

    tell(memory, "t1", "Ana has a piano", 5)

    assert believed(memory) == {note_fact("Ana has a piano"), LATER}


def test_what_rests_on_something_else_too_stays_ended(memory: Memory) -> None:
    tell(memory, "t3", "Ana has no cello", 7)
    first, second, third = made(memory)
    apply_changes(memory._engine, [Change(action="retire", ending=(first,), evidence=(second, third))])

    tell(memory, "t2", "Ana sold her piano", 6)

    assert OLD not in believed(memory)


def test_what_somebody_ended_by_hand_stays_ended(memory: Memory) -> None:
    memory.retire(user="ana", ids=[made(memory)[0].id])

    tell(memory, "t2", "Ana sold her piano", 6)

    assert OLD not in believed(memory)


@pytest.mark.parametrize("other", ["t1", "t2"])
def test_what_was_said_twice_and_is_said_once(open_memory: Callable[..., Memory], other: str) -> None:
    """Whichever of the two sleep let stay."""
    memory = open_memory(recipe=recipe_of(NoteTurns()))
    tell(memory, "t1", "Ana has a cello", 5)
    tell(memory, "t2", "Ana has a cello", 6)
    memory.consolidate("ana", update=False)
    (left,) = made(memory)
    assert {"t1", "t2"} < set(left.sources)

    tell(memory, other, "Ana sold her piano", 6)

    assert believed(memory) == {OLD, note_fact("Ana sold her piano")}
    (kept,) = {"t1", "t2"} - {other}
    assert [record.sources for record in made(memory) if record.text == OLD] == [(kept,)]
    tell(memory, kept, "Ana sold her piano", 5)
    assert believed(memory) == {note_fact("Ana sold her piano")}


def test_what_somebody_wrote_outlives_a_statement_that_ended_for_it(
    open_memory: Callable[..., Memory],
) -> None:
    memory = open_memory(recipe=recipe_of(NoteTurns()))
    at = datetime(2023, 5, 9, tzinfo=timezone.utc)
    own = Record(id="own", user="ana", text=OLD, at=at, recorded_at=at, kind="semantic")
    memory.add_records([replace(own, importance=0.5)])
    tell(memory, "t1", "Ana has a cello", 5)
    assert memory.consolidate("ana", update=False).upkeep.merged == 1
    assert memory.get(user="ana", id="own").tags == ("fact",)

    tell(memory, "t1", "Ana sold her piano", 6)

    assert believed(memory) == {OLD, note_fact("Ana sold her piano")}
    kept = memory.get(user="ana", id="own")
    assert (kept.sources, kept.tags) == ((), ())
