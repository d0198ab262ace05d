"""The recipes of the papers: parameters, and whole runs over an invented conversation."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import fields, is_dataclass

import pytest
from conversations import conversation, work
from rules_statements import RULES as STATEMENTS
from rules_tag import RULES as TAG
from rules_verify import RULES as VERIFY
from tools import MemoryTools, run_stages

from memspan.encode.values import Work
from memspan.errors import InvalidArgumentError
from memspan.recipes import recipe, recipe_names

RULES = STATEMENTS | VERIFY | TAG
OURS = ("simplemem", "promem", "swiftmem")
TURNS = conversation(60)


def run(name: str) -> tuple[Work, MemoryTools]:
    tools = MemoryTools(RULES)
    found = recipe(name)
    given = work(TURNS[found.history :], history=TURNS[: found.history])
    return asyncio.run(run_stages(found.write, given, tools)), tools


def parameters(name: str) -> dict[str, dict[str, object]]:
    return {
        stage.name: {field.name: getattr(stage, field.name) for field in fields(stage)}  # type: ignore[arg-type]
        for stage in recipe(name).write
    }


def test_parameters_are_those_of_the_papers() -> None:
    simplemem, promem, swiftmem = (parameters(name) for name in OURS)

    assert list(simplemem) == ["windows", "extract", "synthesise"]
    assert simplemem["windows"] == {"size": 20, "stride": 15, "history": 5}
    assert list(promem) == ["windows", "extract", "complete", "verify"]
    assert promem["extract"] == {"prompt": "extract_personal"}
    assert promem["complete"] == {"threshold": 0.6, "deviations": 1.5, "context": 2}
    assert promem["verify"] == {"threshold": 0.8, "batch": 1, "supported": None}
    assert list(swiftmem) == ["tag"]
    assert (swiftmem["tag"]["fewest"], swiftmem["tag"]["most"], swiftmem["tag"]["batch"]) == (3, 8, 1)


@pytest.mark.parametrize("name", OURS)
def test_a_recipe_says_what_it_is(name: str) -> None:
    found = recipe(name)

    assert found.name == name
    assert name in recipe_names()
    assert found.summary
    assert found.paper
    assert all(is_dataclass(stage) and stage.name for stage in found.write)
    assert len({stage.name for stage in found.write}) == len(found.write)


def test_an_unknown_recipe_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="simplemem"):
        recipe("nomem")


@pytest.mark.parametrize("name", OURS)
def test_the_same_turns_give_the_same_work_and_nothing_is_asked_twice(name: str) -> None:
    first, tools = run(name)
    asked = len(tools.asked)

    found = recipe(name)
    given = work(TURNS[found.history :], history=TURNS[: found.history])
    again = asyncio.run(run_stages(found.write, given, tools))

    assert again == first
    assert len(tools.asked) == asked
    assert len({key for key, _ in tools.asked}) == asked, "every key is asked about once"


def test_simplemem_makes_statements_and_units_with_sources() -> None:
    done, _ = run("simplemem")

    ids = {one.id for one in done.turns}
    assert "synthesise" in {one.stage for one in done.statements} <= {"extract", "synthesise"}
    assert all(one.sources and set(one.sources) <= ids for one in done.statements)
    said = {id_ for one in done.statements for id_ in one.sources}
    assert len(said) > len(ids) / 2


def test_promem_covers_and_verifies() -> None:
    done, tools = run("promem")

    assert {one.stage for one in done.statements} == {"verify"}
    assert tools.noted("completed")
    said = {id_ for one in done.statements for id_ in one.sources}
    told = {one.id for one in done.turns if len(one.text.split()) > 5}
    assert told <= said


def test_swiftmem_tags_turns_and_makes_nothing_else() -> None:
    done, _ = run("swiftmem")

    assert done.statements == ()
    assert len([tags for tags in done.turn_tags.values() if tags]) > len(done.turns) / 2
    assert done.relations


def test_recipes_are_read_without_the_extra() -> None:
    code = (
        "import sys\n"
        "from memspan.recipes import recipe, recipe_names\n"
        "for name in recipe_names(): recipe(name)\n"
        "print(sorted({'pydantic', 'openai', 'httpx', 'onnxruntime'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_stages_that_ask_say_which_extra_is_missing() -> None:
    code = (
        "import sys\n"
        "sys.modules['pydantic'] = None\n"
        "from memspan.errors import MissingExtraError\n"
        "try:\n"
        "    import memspan.encode.replies.extract\n"
        "except MissingExtraError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert 'pip install "memspan[llm]"' in done.stdout
