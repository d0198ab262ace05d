"""How many calls a recipe makes: as the papers' analysis of their cost says, and as it does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from conversations import conversation, work
from rules_statements import RULES as STATEMENTS
from rules_tag import RULES as TAG
from rules_verify import RULES as VERIFY
from tools import MemoryTools

from memspan.encode.complete import Complete
from memspan.encode.extract import Extract
from memspan.encode.load import Load
from memspan.encode.synthesise import Synthesise
from memspan.encode.tags.tag_by_model import TagByModel
from memspan.encode.verify import Verify
from memspan.encode.windows import Windows
from memspan.recipes import recipe
from memspan.recipes.calls import expected_calls


@pytest.mark.parametrize("count", [0, 1, 2, 19, 20, 21, 35, 36, 100, 101, 150])
@pytest.mark.parametrize("name", ["simplemem", "promem", "swiftmem"])
def test_a_recipe_makes_the_calls_that_are_expected(name: str, count: int) -> None:
    stages = recipe(name).write
    tools = MemoryTools(STATEMENTS | VERIFY | TAG)
    coming: dict[str, int] = {}
    uncovered = 0
    done = work(conversation(count))

    async def run() -> None:
        nonlocal done, uncovered
        for stage in stages:
            coming[stage.name] = len(done.statements)
            if isinstance(stage, Complete):
                uncovered = len(await stage.uncovered(done, tools))
            tools.stage = stage.name
            done = await stage.run(done, tools)

    asyncio.run(run())

    expected = expected_calls(stages, count, statements=coming, uncovered=uncovered)
    assert {stage: calls for stage, calls in expected.items() if calls} == tools.calls()


def test_what_the_papers_say_of_their_cost() -> None:
    """For a conversation of 600 turns of which 300 statements come, 40 turns of it uncovered."""
    statements = {"synthesise": 300, "verify": 300}

    def calls(name: str) -> dict[str, int]:
        return expected_calls(recipe(name).write, 600, statements=statements, uncovered=40)

    assert calls("simplemem") == {"extract": 1 + 39, "synthesise": 2}
    assert calls("promem") == {"extract": 6, "complete": 1, "verify": 600}
    assert calls("swiftmem") == {"tag": 300}


@pytest.mark.parametrize(
    ("stage", "load", "calls"),
    [
        (Extract(), Load(turns=40, windows=3), 3),
        (Extract(), Load(turns=0, windows=1), 0),
        (Complete(), Load(turns=40, uncovered=0), 0),
        (Complete(), Load(turns=40, uncovered=17), 1),
        (Verify(), Load(turns=40, statements=7), 14),
        (Verify(batch=3), Load(turns=40, statements=7), 6),
        (Synthesise(), Load(turns=40, statements=1), 0),
        (Synthesise(), Load(turns=40, statements=200), 1),
        (Synthesise(), Load(turns=40, statements=201), 1),
        (Synthesise(), Load(turns=40, statements=202), 2),
        (TagByModel(), Load(turns=41), 21),
        (TagByModel(batch=10), Load(turns=41), 3),
        (TagByModel(target="statements", batch=2), Load(turns=41, statements=5), 3),
    ],
)
def test_calls_of_a_stage(stage: Any, load: Load, calls: int) -> None:
    assert stage.calls(load) == calls


def test_the_stride_decides_how_often_a_turn_is_read() -> None:
    def calls(stride: int) -> int:
        return expected_calls([Windows(stride=stride), Extract()], 600)["extract"]

    assert (calls(20), calls(15), calls(5)) == (30, 40, 117)


def test_stages_that_ask_nothing_are_not_counted() -> None:
    assert expected_calls([Windows()], 50) == {}
    assert expected_calls([Verify()], 50) == {"verify": 0}
