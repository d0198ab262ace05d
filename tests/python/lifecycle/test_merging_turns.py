"""Sleep ends no turn that answers something else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory, Record
from memspan.lifecycle.merging.duplicates import Merging

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
TURNS = Merging(kinds=("episodic",))
MILK = "Do you want milk?"
PHOTOS = "Shall I delete all of your photos?"
YES = "Yes please."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.memspan", "hash:64", auto_consolidate=False) as opened:
        yield opened


def turn(id_: str, text: str, second: float, speaker: str = "ana", **fields: Any) -> Record:
    given = {"user": "ana", "session": "s", "speaker": speaker, **fields}
    return Record(id=id_, text=text, at=START + timedelta(seconds=second), **given)


def left(memory: Memory) -> set[str]:
    return {hit.id for hit in memory.latest(user="ana", k=100)}


def merged(memory: Memory, *turns: Record, merging: Merging = TURNS) -> set[str]:
    """The ids of the turns that ended."""
    memory.add_records(list(turns))
    memory.consolidate("ana", merge=merging)
    return {one.id for one in turns} - left(memory)


def test_turns_are_left_alone(memory: Memory):
    said = [turn("a", YES, 0), turn("b", YES, 0)]
    assert merged(memory, *said, merging=Merging()) == set()
    assert memory.consolidate("ana").upkeep.merged == 0


@pytest.mark.parametrize("merging", [Merging(), TURNS, Merging(kinds=("episodic", "semantic"))])
def test_the_same_answer_to_something_else_stays(memory: Memory, merging: Merging):
    messages = [("bot", MILK), ("ana", YES), ("bot", PHOTOS), ("ana", YES)]
    memory.add(
        [{"speaker": speaker, "text": text} for speaker, text in messages], user="ana", session="s", at=START
    )
    assert memory.consolidate("ana", merge=merging).upkeep.merged == 0
    assert len(left(memory)) == 4


def test_what_was_delivered_twice_is_one(memory: Memory):
    said = [turn(f"q{n}", MILK, 0, "bot") for n in "12"] + [turn(f"a{n}", YES, 1) for n in "12"]
    assert merged(memory, *said) == {"q2", "a2"}


def test_the_same_answer_to_the_same_question_is_one(memory: Memory):
    said = [turn("q1", MILK, 0, "bot"), turn("a1", YES, 1), turn("q2", MILK, 2, "bot"), turn("a2", YES, 3)]
    assert merged(memory, *said) == {"a2"}


@pytest.mark.parametrize(
    "other",
    [
        {"session": "t"},
        {"session": None},
        {"speaker": "bob"},
        {"metadata": {"call": 2}},
        {"provenance": "chat.json"},
        {"text": YES.lower()},
        {"second": 100},
        {"pinned": True},
    ],
)
def test_what_differs_in_anything_stays(memory: Memory, other: dict[str, Any]):
    again = {"id_": "c", "text": YES, "second": 2, **other}
    pinned = [turn("a", YES, 2, pinned=True)] if "pinned" in other else [turn("a", YES, 2)]
    assert merged(memory, turn("q", MILK, 0, "bot"), *pinned, turn(**again)) == set()


def test_where_nobody_can_tell_what_it_answers_it_stays(memory: Memory):
    """All at one moment: times that are dates, say."""
    said = [turn("q", MILK, 0, "bot"), turn("r", PHOTOS, 0, "bot"), turn("x", YES, 0), turn("y", YES, 0)]
    assert merged(memory, *said) == set()


def test_a_turn_that_follows_its_own_copy_stays(memory: Memory):
    """The question between them may have gone since."""
    assert merged(memory, turn("q", MILK, 0, "bot"), turn("x", YES, 1), turn("y", YES, 3)) == set()


def test_facts_between_turns_do_not_matter(memory: Memory):
    facts = [turn(f"f{n}", f"Ana wants milk {n}.", 1, kind="semantic") for n in range(3)]
    said = [turn("q", MILK, 0, "bot"), turn("x", YES, 1), turn("y", YES, 1)]
    assert merged(memory, *said, *facts) == {"y"}
