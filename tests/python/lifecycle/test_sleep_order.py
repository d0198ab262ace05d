"""Which of two memories is the later one in sleep: the one that was said later, whatever times they are about."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools import MemoryTools

from memspan import Memory, Record
from memspan.embed import CallableEmbedder
from memspan.lifecycle.sleep.update import SleepUpdate

START = datetime(2023, 5, 1, tzinfo=timezone.utc)


def embed(texts: Sequence[str]) -> np.ndarray:
    """All texts are alike."""
    vectors = np.ones((len(texts), 2), dtype=np.float32)
    vectors[:, 1] += [len(text) / 1000 for text in texts]
    return vectors


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    embedder = CallableEmbedder(embed, checksum="1")
    with Memory(tmp_path / "m.memspan", embedder, auto_consolidate=False) as opened:
        yield opened


def told(memory: Memory, id: str, text: str, *, said: int, about: int | None = None) -> None:
    """A turn, and what was made of it; days after `START`."""
    at = START + timedelta(days=said)
    turn = Record(id=f"turn-{id}", user="ana", text="exam", at=at)
    of = START + timedelta(days=said if about is None else about)
    memory.add_records(
        [
            turn,
            Record(
                id=id,
                user="ana",
                text=text,
                at=of,
                kind="semantic",
                sources=(turn.id,),
                metadata={"recipe": "x"},
            ),
        ]
    )


def queues(memory: Memory) -> dict[str, list[str]]:
    sleep = SleepUpdate()
    found = sleep.queues(*sleep.records(memory._engine, "ana"))
    return {queue.target.id: sorted(record.id for record in queue.later) for queue in found}


def test_what_calls_a_plan_off_is_later_than_the_plan(memory: Memory) -> None:
    told(memory, "plan", "the exam is on 14 June", said=0, about=44)
    told(memory, "off", "the exam is called off", said=9)
    told(memory, "past", "the exam of last year", said=9, about=-300)

    assert queues(memory) == {"plan": ["off"], "past": ["off"]}


def test_of_two_about_one_time_the_later_one_was_said_later(memory: Memory) -> None:
    told(memory, "b", "the exam is on", said=0, about=44)
    told(memory, "a", "the exam is off", said=9, about=44)
    told(memory, "c", "the exam is hard", said=9, about=44)

    assert queues(memory) == {"a": ["c"], "b": ["a", "c"], "c": ["a"]}


def test_without_its_turn_a_memory_goes_by_its_own_time(memory: Memory) -> None:
    told(memory, "b", "the exam is on", said=0, about=44)
    told(memory, "a", "the exam is off", said=9, about=44)
    found = memory.get(user="ana", id="a")
    assert found is not None
    memory.add_records([replace(found, sources=("elsewhere",))])

    assert queues(memory) == {"a": ["b"], "b": ["a"]}


def test_what_was_merged_was_said_when_its_turns_were(memory: Memory) -> None:
    """The memory that ended for it is a source, too, and is about a later time."""
    told(memory, "plan", "the exam is on 14 June", said=0, about=44)
    told(memory, "same", "the exam is on 14 June", said=1, about=44)
    told(memory, "off", "the exam is called off", said=9)
    memory.consolidate("ana")
    (kept,) = {"plan", "same"}.intersection(queues(memory))

    assert set(memory.get(user="ana", id=kept).sources) == {
        "turn-plan",
        "turn-same",
        *{"plan", "same"} - {kept},
    }  # type: ignore[union-attr]
    assert queues(memory) == {kept: ["off"]}


def test_what_sleep_made_knows_when_it_was_said(memory: Memory) -> None:
    told(memory, "plan", "the exam is on 14 June", said=0, about=44)
    told(memory, "moved", "the exam was moved to 21 June", said=5, about=51)
    reply: dict[str, Any] = {
        "action": "update",
        "later": [1],
        "content": "The exam was moved from 14 to 21 June.",
    }
    tools = MemoryTools({"update": [reply]})
    done = asyncio.run(SleepUpdate().run(memory._engine, "ana", tools))
    (made,) = done.applied.made

    told(memory, "off", "the exam is called off", said=9)

    assert queues(memory) == {made: ["moved", "off"], "moved": [made, "off"]}
