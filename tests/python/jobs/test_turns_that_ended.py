"""Turns that ended or outlived their time before their job began."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from tiny_recipe import Custom, NoteTurns, ScriptedModel, SumUp, derived, note_fact, recipe_of, sum_fact

from memspan import Quotas
from memspan.encode.values import Work
from memspan.lifecycle.expiring import sweep
from memspan.memory import Memory
from memspan.remember.jobs.pace import Pace
from memspan.times import now_micros

HOUR = 3600
Open = Callable[..., Memory]


def test_what_has_ended_or_run_out_by_then_is_shown_to_no_model(
    open_memory: Open, model: ScriptedModel
) -> None:
    memory = open_memory(recipe=recipe_of(NoteTurns(), history=10))
    said = [{"id": f"m{n}", "text": f"turn {n}"} for n in range(5)]
    memory.add(said, user="ana", session="s")
    memory.add(said[0], user="ana", session="s", ttl=0.001)
    memory.retire(user="ana", ids=["m1"])
    new = memory.supersede(user="ana", id="m2", text="turn two")
    memory.pin(user="ana", ids=["m3"])
    memory.add(said[3], user="ana", session="s", ttl=0.001)
    time.sleep(0.005)
    memory.process()
    shown = {text for _, text in model.asked}
    assert shown == {"turn 4", "turn two"}
    assert {record.sources for record in derived(memory)} == {("m4",), (new,)}
    memory.add({"id": "m9", "text": "turn 9"}, user="ana", session="s")
    histories: list[tuple[str, ...]] = []

    async def look(work: Work, tools: object) -> Work:
        histories.append(tuple(turn.id for turn in work.history))
        return work

    memory.close()
    again = open_memory(recipe=recipe_of(Custom(do=look), history=10))
    again.process()
    assert histories == [("m4", new)]


def test_answers_about_turns_that_ended_since_are_not_used(open_memory: Open, model: ScriptedModel) -> None:
    """A job that goes on where it stopped asks anew what it had asked about all of them together, and once."""
    broken = True

    async def fail(work: Work, tools: object) -> Work:
        if broken:
            raise RuntimeError("not yet")
        return work

    pace = Pace(first_pause=0.001, growth=1.0, lease=5.0, poll=0.02, attempts=2)
    memory = open_memory(pace, recipe=recipe_of(NoteTurns(), SumUp(), Custom(do=fail)))
    memory.add([{"id": f"m{n}", "text": f"turn {n}"} for n in range(3)], user="ana", session="s")
    assert memory.process().parked == 1
    memory.retire(user="ana", ids=["m1"])
    for _ in range(2):
        memory.retry()
        memory.process()
    broken = False
    memory.retry()
    assert memory.process().done == 1
    (summed,) = (record for record in derived(memory) if "sum" in record.tags)
    assert summed.text == sum_fact(f"{note_fact('turn 0')} & {note_fact('turn 2')}")
    assert summed.sources == ("m0", "m2")
    assert {text: count for (name, text), count in model.asked.items() if name == "sum"} == {
        " & ".join(note_fact(f"turn {n}") for n in (0, 1, 2)): 1,
        " & ".join(note_fact(f"turn {n}") for n in (0, 2)): 1,
    }


@pytest.mark.parametrize("how", ["expired", "undone", "undone in the cold tier"])
def test_a_session_goes_on_whose_only_waiting_turn_is_gone(open_memory: Open, how: str) -> None:
    memory = open_memory(recipe=recipe_of(NoteTurns()))
    memory.add({"id": "m0", "text": "turn 0"}, user="ana", session="s")
    memory.add({"id": "kept", "text": "something else"}, user="ana", session="t")
    memory.process()
    if how == "expired":
        memory.add("turn 1", user="ana", session="s", ttl=0.001)
        time.sleep(0.005)
        memory.consolidate()
    else:
        new = memory.supersede(user="ana", id="m0", text="turn 1")
        if how != "undone":
            memory.pin(user="ana", ids=["kept"])
            memory.set_quotas(
                Quotas(capacity=10, shares={"episodic": 0.1, "semantic": 0.8, "procedural": 0.1}), user="ana"
            )
            assert new in {one.id for one in memory.evicted("ana")}
        memory.undo(memory.runs("ana")[0].id)
        memory.set_quotas(None, user="ana")
    memory.add({"id": "m2", "text": "turn 2"}, user="ana", session="s")
    memory.process()
    assert ("m2",) in {record.sources for record in derived(memory)}
    assert memory.verify() == []


def test_a_job_goes_with_the_last_of_its_turns_and_of_what_came_of_it(open_memory: Open) -> None:
    """In a store with times to live there would be more of them with every day, each with the name of its session."""
    memory = open_memory()
    later = now_micros() + 2 * HOUR * 1_000_000
    memory.add({"id": "m1", "text": "turn one"}, user="ana", session="s-one", ttl=HOUR)
    memory.add({"id": "m2", "text": "turn two"}, user="ana", session="s-two")
    memory.process()
    assert len(derived(memory)) == 4
    assert sweep(memory._engine, now=later).records == 3, "the turn, and what was made of it"
    assert [job.session for job in memory.jobs()] == ["s-two"]
    assert memory.tags("ana")[-1].children == ("fact",), "which came of the other job, too"
    memory.set_lifetime("episodic", HOUR)
    assert sweep(memory._engine, now=later).records == 1
    assert [job.session for job in memory.jobs()] == ["s-two"], "what came of it is left"
    memory.set_lifetime("semantic", HOUR)
    sweep(memory._engine, now=later)
    assert memory.jobs() == []
    assert memory.tags("ana") == []
    memory.add({"id": "m3", "text": "turn three"}, user="ana", session="s-three")
    sweep(memory._engine, now=later)
    assert memory.jobs() == [], "nor does one without turns wait"
    assert memory.verify() == []


def test_no_job_knows_what_went_from_the_cold_tier_with_what_it_came_of(open_memory: Open) -> None:
    memory = open_memory(recipe=recipe_of(NoteTurns()))
    memory.add({"id": "m1", "text": "turn 1"}, user="ana", session="s")
    memory.add({"id": "m2", "text": "turn 2"}, user="ana", session="t")
    memory.process()
    (made,) = (record.id for record in derived(memory) if record.sources == ("m1",))
    memory.add({"id": "m2", "text": "What came of it", "sources": [made]}, user="ana")
    memory.process()
    memory.add({"id": "kept", "text": "something else", "kind": "semantic"}, user="ana")
    memory.pin(user="ana", ids=["m1", "kept", made])
    memory.set_quotas(Quotas(capacity=10, shares={"episodic": 0.1, "semantic": 0.8, "procedural": 0.1}))
    assert "m2" in {one.id for one in memory.evicted("ana")}

    memory.add({"id": "m1", "text": "another turn 1"}, user="ana", session="s")
    memory.process()

    assert memory.history(user="ana", id="m2") is None
    assert memory.verify() == []
    # Whoever gets the id now is that job's turn no more.
    memory.set_quotas(None)
    memory.add({"id": "m2", "text": "a new turn"}, user="ana", session="u")
    memory.process()
    memory.add({"id": "m2", "text": "the new turn"}, user="ana", session="u")
    memory.process()
    assert [one.text for one in derived(memory) if one.sources == ("m2",)] == [note_fact("the new turn")]
