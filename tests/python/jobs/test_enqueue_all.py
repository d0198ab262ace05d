"""Turns that were stored before a recipe was chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tiny_recipe import Custom, derived, recipe_of

from memspan.errors import InvalidArgumentError
from memspan.memory import Memory
from memspan.records import Record
from memspan.remember.jobs import enqueueing
from memspan.times import from_micros

Open = Callable[..., Memory]


def stored(open_memory: Open) -> Memory:
    """Turns of two users under `verbatim`, and records that are no turns."""
    memory = open_memory(recipe="verbatim")
    memory.add(["a", "b"], user="ana", session="s")
    memory.add("c", user="ana", session="t")
    memory.add("known", user="ana", kind="semantic")
    memory.add({"text": "derived", "sources": ["m"]}, user="ana")
    memory.add_records([Record(id="r", user="ben", text="d", at=from_micros(0))])
    memory.close()
    return open_memory()


def test_turns_without_a_job_get_one_once(open_memory: Open) -> None:
    memory = stored(open_memory)
    assert memory.jobs() == []
    assert memory.enqueue() == 4
    assert [(job.user, job.session, job.turns) for job in memory.jobs()] == [
        ("ana", "s", 2),
        ("ana", "t", 1),
        ("ben", None, 1),
    ]
    assert memory.enqueue() == 0
    assert memory.process().done == 3
    assert memory.enqueue() == 0
    assert {"It was said: a", "It was said: c"} <= {record.text for record in derived(memory)}


def test_one_users_turns(open_memory: Open) -> None:
    memory = stored(open_memory)
    assert memory.user("ben").enqueue() == 1
    assert memory.enqueue(user="nobody") == 0
    assert [job.user for job in memory.jobs()] == ["ben"]


def test_turns_that_have_a_job_are_left_to_it(open_memory: Open) -> None:
    memory = stored(open_memory)
    memory.add("e", user="ana", session="s")
    assert memory.enqueue(user="ana") == 3
    assert sorted(job.turns for job in memory.jobs()) == [1, 3]


def test_the_order_of_time_counts(open_memory: Open) -> None:
    seen: list[str] = []

    async def look(work: Any, tools: Any) -> Any:
        seen.extend(turn.text for turn in work.turns)
        return work

    memory = open_memory(recipe="verbatim")
    memory.add([{"text": "later", "at": 2_000_000}, {"text": "earlier", "at": 1_000_000}], user="ana")
    at_once = [{"id": f"m{number}", "text": f"m{number}", "at": 3_000_000} for number in range(8, 12)]
    memory.add(at_once, user="ana")
    memory.close()
    memory = open_memory(recipe=recipe_of(Custom(do=look)))
    memory.enqueue()
    memory.process()
    assert seen == ["earlier", "later", "m8", "m9", "m10", "m11"]


def test_it_goes_on_after_an_interruption(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stored(open_memory)
    monkeypatch.setattr(enqueueing, "_BATCH", 1)

    def interrupt(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        enqueueing.enqueue_all(memory._engine, None, memory._processing.recipe, interrupt)
    assert sum(job.turns for job in memory.jobs()) == 1
    assert memory.enqueue() == 3


def test_a_recipe_without_stages_is_refused(open_memory: Open) -> None:
    with pytest.raises(InvalidArgumentError, match="write stages"):
        open_memory(recipe="verbatim").enqueue()


def test_forgotten_and_retired_turns_are_left_alone(open_memory: Open) -> None:
    memory = open_memory(recipe="verbatim")
    memory.add_records(
        [
            Record(id="gone", user="ana", text="x", at=from_micros(0), retired_at=from_micros(5)),
            Record(id="over", user="ana", text="z", at=from_micros(0), expires_at=from_micros(9)),
            Record(id="there", user="ana", text="y", at=from_micros(0)),
        ]
    )
    memory.close()
    memory = open_memory()
    assert memory.enqueue() == 1
