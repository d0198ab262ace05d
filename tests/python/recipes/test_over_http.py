"""The recipes through the model's client and a real server on loopback, which also misbehaves."""

from __future__ import annotations

import asyncio

import pytest
from conversations import conversation, work
from llm_faults import FAULTS
from scripted_llm import ScriptedLLM, all_rules, no_pause
from tools import MemoryTools, run_stages

from memspan.encode.values import Work
from memspan.errors import LLMError
from memspan.llm.client import OpenAIModel
from memspan.recipes import recipe

TURNS = conversation(45)


def run(name: str, server: ScriptedLLM) -> tuple[Work, MemoryTools]:
    with OpenAIModel("scripted-1", base_url=server.url, sleep=no_pause) as model:
        tools = MemoryTools(llm=model)
        return asyncio.run(run_stages(recipe(name).write, work(TURNS), tools)), tools


@pytest.mark.parametrize("name", ["simplemem", "promem", "swiftmem"])
def test_a_recipe_over_http_does_what_it_does_in_memory(name: str, server: ScriptedLLM) -> None:
    done, tools = run(name, server)

    memory = MemoryTools(all_rules())
    assert done == asyncio.run(run_stages(recipe(name).write, work(TURNS), memory))
    assert tools.calls() == memory.calls()
    assert len(server.asked) == len(tools.asked)
    assert server.troubles == []


@pytest.mark.parametrize(
    "fault",
    [
        "prose", "fenced", "thinking", "trailing comma", "invalid json", "empty", "wrong schema", "not an object",
        "status 429", "status 500", "status 503", "hang up", "hang up in the middle", "no json", "no choices",
    ],
)  # fmt: skip
def test_what_a_server_does_wrong_once_changes_nothing(fault: str, server: ScriptedLLM) -> None:
    good, _ = run("simplemem", server)

    server.misbehave(FAULTS[fault])
    again, _ = run("simplemem", server)

    assert again == good


@pytest.mark.parametrize("name", ["simplemem", "promem", "swiftmem"])
@pytest.mark.parametrize("fault", ["hallucinated ids", "injected", "empty lists"])
def test_a_model_that_is_always_wrong_reaches_nothing_outside_the_job(
    name: str, fault: str, server: ScriptedLLM
) -> None:
    server.schedule = lambda asked, number: FAULTS[fault]

    done, _ = run(name, server)

    ids = {one.id for one in TURNS}
    assert (done.user, done.turns) == ("ana", TURNS)
    assert all(one.sources and set(one.sources) <= ids for one in done.statements)
    assert set(done.turn_tags) <= ids
    if fault == "empty lists":
        assert done.statements == ()
        assert not any(done.turn_tags.values())


def test_a_truncated_reply_splits_the_window_and_loses_nothing(server: ScriptedLLM) -> None:
    good, _ = run("simplemem", server)

    server.misbehave(FAULTS["truncated"], task="extract")
    done, tools = run("simplemem", server)

    assert len(tools.noted("split")) == 1
    said = {id_ for one in done.statements for id_ in one.sources}
    assert said == {id_ for one in good.statements for id_ in one.sources}


def test_a_server_that_is_down_stops_extraction_and_tagging(server: ScriptedLLM) -> None:
    server.schedule = lambda asked, number: FAULTS["status 503"]

    for name in ("simplemem", "swiftmem"):
        with pytest.raises(LLMError):
            run(name, server)


def test_a_model_that_never_gives_json_does_not_stop_tagging(server: ScriptedLLM) -> None:
    server.schedule = lambda asked, number: FAULTS["invalid json"]

    done, tools = run("swiftmem", server)
    assert not any(done.turn_tags.values())
    assert len(tools.noted("nearest tags instead")) == 23
