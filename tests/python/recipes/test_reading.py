"""How recipes answer, and the recipe `best`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conversations import conversation, work
from scripted_llm import ScriptedLLM, all_rules
from tools import MemoryTools, run_stages

from memspan.errors import InvalidArgumentError
from memspan.llm import OpenAIModel
from memspan.memory import Memory
from memspan.recipes import Reading, recipe, recipe_names
from memspan.records import Record

TURNS = conversation(60)


def test_parameters_are_those_of_the_papers() -> None:
    read = {name: recipe(name).read for name in recipe_names()}

    assert (read["simplemem"].plan, read["simplemem"].least, read["simplemem"].most) == ("model", 3, 20)
    assert (read["promem"].plan, read["promem"].least, read["promem"].most) == ("rules", 20, 20)
    assert (read["lightmem"].least, read["lightmem"].most) == (20, 20)
    assert read["swiftmem"].route == 5
    assert read["verbatim"] == Reading()
    assert read["best"] == Reading()


@pytest.mark.parametrize(
    "parameters",
    [{"plan": "me"}, {"least": 3}, {"most": 3}, {"least": 4, "most": 3}, {"least": 0, "most": 3}, {"tokens": 0},
     {"route": -1}],
)  # fmt: skip
def test_parameters_are_checked(parameters: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        Reading(**parameters)


def test_best_questions_only_statements_in_doubt() -> None:
    tools = MemoryTools(all_rules())
    found = recipe("best")

    done = asyncio.run(run_stages(found.write, work(TURNS), tools))

    assert done.statements
    ids = {turn.id for turn in TURNS}
    assert all(one.sources and set(one.sources) <= ids for one in done.statements)
    (noted,) = tools.noted("not questioned")
    assert 0 < noted["statements"] <= len(done.statements)


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM(all_rules()) as running:
        yield running
        running.check()


@pytest.mark.parametrize("name", recipe_names())
def test_every_recipe_remembers_and_answers_over_http(name: str, server: ScriptedLLM, tmp_path: Path) -> None:
    with (
        OpenAIModel("scripted", base_url=server.url) as model,
        Memory(tmp_path / "a.memspan", "hash:64", llm=model, recipe=name) as memory,
    ):
        memory.add_records(Record(id=one.id, user="ana", text=one.text, at=one.at) for one in TURNS[:1])
        messages = [
            {"id": one.id, "text": one.text, "at": one.at, "speaker": one.speaker} for one in TURNS[1:40]
        ]
        memory.add(messages, user="ana", session="s1")
        report = memory.process()
        assert (report.parked, report.waiting) == (0, 0)

        answer = memory.ask(TURNS[20].text, user="ana")

        assert answer.enough
        assert answer.sources
        assert all(memory.get(user="ana", id=id_) for id_ in answer.sources)
        assert answer.context.tokens <= recipe(name).read.tokens
        stages = {entry.stage for entry in memory.usage()}
        assert ("plan" in stages) == (name == "simplemem")
        assert "answer" in stages


def test_best_sleeps_over_what_is_nearly_the_same() -> None:
    found = recipe("best").sleep
    assert found is not None
    assert found.least == 0.9
    assert not [stage for stage in recipe("best").write if "tag" in stage.name], "see there"
