"""Jobs that wait for more turns of their session."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from scripted_llm import ScriptedLLM, all_rules
from tiny_recipe import ScriptedModel, one_job, recipe_of

from memspan.encode.buffer import Buffer
from memspan.errors import InvalidArgumentError
from memspan.llm import OpenAIModel
from memspan.memory import Memory
from memspan.recall.context import estimate_tokens
from memspan.recipes import Gathering, Recipe, recipe, recipe_names
from memspan.store.sqlite import job_writer
from memspan.times import now_micros

Open = Callable[..., Memory]


def gathering(**settings: Any) -> Recipe:
    return replace(recipe_of(), gather=Gathering(**settings))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"tokens": 0},
        {"turns": 0},
        {"turns": 1, "seconds": -1},
        {"turns": 1, "seconds": float("nan")},
        {"turns": "many"},
    ],
)
def test_bad_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        Gathering(**settings)


def test_enough_is_any_of_the_two() -> None:
    both = Gathering(tokens=10, turns=3, seconds=2)
    assert both.due(2, 9, 1_000) == 2_001_000
    assert both.due(3, 0, 1_000) == 0
    assert both.due(1, 10, 1_000) == 0
    assert Gathering(tokens=10).due(999, 9, 0) == 300_000_000


def test_a_job_waits_for_enough_turns(open_memory: Open) -> None:
    memory = open_memory(recipe=gathering(turns=3))
    memory.add("a", user="ana", session="s")
    memory.add("b", user="ana", session="s")
    job = one_job(memory)
    assert job.due is not None
    assert 290 < job.due.timestamp() - now_micros() / 1e6 <= 300
    left = memory.process(gather=True)
    assert (left.done, left.waiting) == (0, 1)
    memory.add("c", user="ana", session="s")
    assert one_job(memory).due is None
    assert memory.process(gather=True).done == 1
    assert one_job(memory).turns == 3


def test_tokens_are_counted_over_calls(open_memory: Open) -> None:
    text = "one two three four"
    memory = open_memory(recipe=gathering(tokens=2 * estimate_tokens(text)))
    memory.add(text, user="ana")
    assert memory.process(gather=True).done == 0
    memory.add(text, user="ana")
    assert memory.process(gather=True).done == 1


def test_sessions_and_users_wait_for_themselves(open_memory: Open) -> None:
    memory = open_memory(recipe=gathering(turns=2))
    memory.add(["a", "b"], user="ana", session="s")
    memory.add("c", user="ana", session="t")
    memory.add("d", user="ben", session="s")
    report = memory.process(gather=True)
    assert (report.done, report.waiting) == (1, 2)


def test_what_is_left_begins_after_the_pause(open_memory: Open) -> None:
    memory = open_memory(recipe=gathering(turns=100, seconds=0.3))
    memory.add("a", user="ana")
    start = time.monotonic()
    memory.start_processing()
    while memory.jobs(state="done") == []:
        assert time.monotonic() - start < 20
        time.sleep(0.01)
    assert time.monotonic() - start >= 0.25


def test_one_round_begins_everything(open_memory: Open) -> None:
    memory = open_memory(recipe=gathering(turns=100))
    memory.add("a", user="ana")
    assert memory.process().done == 1


def test_the_background_can_be_told_not_to_wait(open_memory: Open) -> None:
    memory = open_memory(recipe=gathering(turns=100))
    memory.start_processing(gather=False)
    memory.add("a", user="ana")
    deadline = time.monotonic() + 20
    while memory.jobs(state="done") == []:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_job_that_failed_is_not_taken_for_one_that_gathers(open_memory: Open, model: ScriptedModel) -> None:
    def fail(prompt: Any) -> Any:
        raise ValueError("broken")

    model.misbehave = fail
    memory = open_memory(recipe=gathering(turns=1))
    memory.add("a", user="ana")
    assert memory.process(gather=True).parked == 1
    model.misbehave = None
    assert memory.retry() == 1
    memory.add("b", user="ana")
    assert [job.turns for job in memory.jobs()] == [1, 1]  # what has begun takes no more
    assert memory.process(gather=True).done == 2


def test_a_turn_that_changes_does_not_start_its_job(open_memory: Open) -> None:
    memory = open_memory(recipe=gathering(turns=5))
    memory.add([{"id": "m", "text": "a"}], user="ana")
    memory.add([{"id": "m", "text": "another"}], user="ana")
    assert memory.process(gather=True).done == 0
    memory.forget(user="ana", id="m")
    assert memory.jobs() == []


def test_a_full_job_does_not_wait(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_writer, "MOST_TURNS", 4)
    memory = open_memory(recipe=gathering(turns=100))
    memory.add(list("abcdef"), user="ana")
    assert [(job.turns, job.due is None) for job in memory.jobs()] == [(4, True), (2, False)]


def test_recipes_gather_what_their_stages_read_at_once() -> None:
    known = {name: recipe(name).gather for name in recipe_names()}
    assert known["verbatim"] is None
    assert all(known[name] is not None for name in recipe_names() if name != "verbatim")
    lightmem = recipe("lightmem")
    (buffer,) = (stage for stage in lightmem.write if isinstance(stage, Buffer))
    assert lightmem.gather is not None
    assert lightmem.gather.tokens == round(buffer.tokens / 0.7)


def test_turns_that_come_one_by_one_cost_as_many_calls_as_in_one_piece(open_memory: Open) -> None:
    """LightMem's buffer spans calls of `add`."""
    turns = [
        f"On day {day} Ilka planted {day} more pear trees behind the old mill by the river."
        for day in range(60)
    ]
    tokens = sum(map(estimate_tokens, turns))
    keeps = Recipe(name="keeps", summary="", write=(Buffer(tokens=200),), gather=Gathering(tokens=200))

    def calls(user: str, memory: Memory, server: ScriptedLLM, gather: bool) -> int:
        before = len(server.asked)
        for turn in turns:
            memory.add(turn, user=user, session="s")
            memory.process(gather=gather)
        memory.process()
        assert memory.jobs(user=user, state="done") == memory.jobs(user=user)
        return len(server.asked) - before

    with ScriptedLLM(all_rules()) as server, OpenAIModel("m", base_url=server.url) as model:
        memory = open_memory(recipe=keeps, llm=model)
        assert calls("each", memory, server, gather=False) == len(turns)
        found = calls("gathered", memory, server, gather=True)
        assert tokens // 200 - 2 <= found <= -(-tokens // 200)
