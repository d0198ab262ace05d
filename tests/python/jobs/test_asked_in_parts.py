"""Jobs whose questions have to be asked in parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tiny_recipe import Custom, Facts, ScriptedModel, recipe_of

from memspan import errors
from memspan.encode.together import ask_in_parts
from memspan.encode.values import Work
from memspan.llm import Prompt
from memspan.memory import Memory

Open = Callable[..., Memory]


def test_what_was_asked_in_parts_is_not_asked_as_a_whole_again(
    open_memory: Open, model: ScriptedModel
) -> None:
    def asked(part: str) -> Prompt:
        return Prompt(name="note", version=1, system="", user=part)

    async def stage(work: Work, tools: Any) -> Work:
        await ask_in_parts(tools, "0", "abcd", Facts, asked, halves, lambda part: [part])
        return work

    def halves(part: str) -> tuple[str, str] | None:
        return (part[: len(part) // 2], part[len(part) // 2 :]) if len(part) > 1 else None

    def too_long(prompt: Prompt) -> None:
        if len(prompt.user) > 1 or prompt.user == "d":
            raise errors.TruncatedReplyError("too long")

    model.misbehave = too_long
    memory = open_memory(recipe=recipe_of(Custom(do=stage)))
    memory.add("one", user="ana")
    assert (memory.process().failed, memory.jobs()[0].state) == (5, "parked")
    counts = {part: model.asked["note", part] for part in ("abcd", "ab", "cd", "a", "d")}
    assert counts == {"abcd": 1, "ab": 1, "cd": 1, "a": 1, "d": 5}

    model.misbehave = lambda prompt: None  # such as a limit that is raised
    assert memory.retry() == 1
    assert memory.process().done == 1
    assert model.asked["note", "abcd"] == 2
