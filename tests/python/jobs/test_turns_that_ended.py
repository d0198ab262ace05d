"""Turns that ended or outlived their time before their job began."""

from __future__ import annotations

import time
from collections.abc import Callable

from tiny_recipe import Custom, NoteTurns, ScriptedModel, derived, recipe_of

from memspan.encode.values import Work
from memspan.memory import Memory

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
