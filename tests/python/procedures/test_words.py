"""A model's words for what was learnt, and for what a recipe's stage made."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agent_sessions import cancel_order
from llm_faults import Fault, status
from rules_procedures import RULES
from scripted_llm import Asked, ScriptedLLM, no_pause

from memspan.encode.procedures import Procedures
from memspan.errors import JobError
from memspan.llm import OpenAIModel
from memspan.memory import Memory
from memspan.recipes import Recipe

Open = Callable[..., Memory]
RECIPE = Recipe(name="agent", summary="for tests", write=(Procedures(),))


def add(memory: Memory, *numbers: int) -> None:
    memory.add([cancel_order(number) for number in numbers], user="ana")


def test_a_model_finds_the_words_once(open_memory: Open) -> None:
    with ScriptedLLM(RULES) as server, OpenAIModel("scripted", base_url=server.url) as model:
        memory = open_memory(llm=model)
        add(memory, 1, 2, 3)

        report = memory.learn_procedures("ana")

        assert (report.new, report.worded, report.usage.calls) == (1, 1, 1)
        (one,) = memory.procedures(user="ana")
        assert one.name == "cancel order properly"
        assert one.text.startswith(
            "How to cancel order properly\nWhen: Somebody wants to cancel order.\n"
            '1. find_order(order: as asked, region = "eu"): find order\n'
        )
        add(memory, 4, 5)
        report = memory.learn_procedures("ana")
        assert (report.changed, report.usage.calls) == (1, 0)
        assert memory.procedures(user="ana")[0].text == one.text
        assert memory.procedures(user="ana")[0].runs == 5
        (entry,) = memory.usage(user="ana", by=["stage"])
        assert (entry.stage, entry.usage.calls) == ("procedures", 1)
        server.check()


@pytest.mark.parametrize(
    "reply",
    [
        {"procedures": []},
        {"procedures": [{"name": "do half", "steps": [{"n": 1, "does": "x"}, {"n": 2, "does": "y"}]}]},
        {"procedures": [{"name": "", "steps": []}]},
    ],
)
def test_without_words_that_fit_it_is_told_by_rules(open_memory: Open, reply: Any) -> None:
    with (
        ScriptedLLM({"procedures": lambda asked: reply}) as server,
        OpenAIModel("scripted", base_url=server.url) as model,
    ):
        memory = open_memory(llm=model)
        memory.add([cancel_order(number, *[("pack", {}), ("weigh", {})]) for number in (1, 2, 3)], user="ana")

        report = memory.learn_procedures("ana")

        assert (report.new, report.worded, report.usage.calls) == (1, 0, 1)
        assert memory.procedures(user="ana")[0].name == "cancel order"


def test_a_model_that_fails_costs_only_the_words_until_the_next_run(
    open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    def down(asked: Asked) -> Any:
        raise RuntimeError("down")

    with ScriptedLLM({"procedures": down}) as server, OpenAIModel("scripted", base_url=server.url) as model:
        memory = open_memory(llm=model)
        add(memory, 1, 2, 3)

        report = memory.learn_procedures("ana")

        assert (report.new, report.worded) == (1, 0)
        assert "1 procedures are kept without a model's words" in caplog.text
        asked = len(server.asked)
        add(memory, 4)
        memory.learn_procedures("ana")
        assert len(server.asked) > asked


def test_nobody_is_asked_when_that_is_not_wanted(open_memory: Open) -> None:
    with ScriptedLLM({}) as server, OpenAIModel("scripted", base_url=server.url) as model:
        memory = open_memory(llm=model)
        add(memory, 1, 2, 3)

        assert memory.learn_procedures("ana", dry_run=True).new == 1
        assert memory.learn_procedures("ana", ask=False).new == 1
        assert asyncio.run(memory.user("ana").alearn_procedures(ask=False)).found == 1
        assert server.asked == []


def test_words_need_a_model(memory: Memory) -> None:
    with pytest.raises(JobError, match="llm"):
        memory.learn_procedures("ana", ask=True)


def test_the_async_form_asks_too(open_memory: Open) -> None:
    with ScriptedLLM(RULES) as server, OpenAIModel("scripted", base_url=server.url) as model:
        memory = open_memory(llm=model)
        add(memory, 1, 2, 3)

        report = asyncio.run(memory.alearn_procedures("ana", ask=True))

        assert report.worded == 1


def test_learning_takes_over_what_the_stage_made_of_single_runs(open_memory: Open) -> None:
    with ScriptedLLM(RULES) as server, OpenAIModel("scripted", base_url=server.url) as model:
        memory = open_memory(llm=model, recipe=RECIPE)
        add(memory, 1, 2, 3)
        memory.process()
        single = memory.procedures(user="ana")
        assert len(single) == 3
        assert all((one.runs, one.successes, len(one.steps)) == (1, 1, 3) for one in single)

        report = memory.learn_procedures("ana", ask=False)

        assert (report.new, report.merged) == (1, 3)
        now = [one for one in memory.procedures(user="ana") if not one.retired]
        assert [(one.name, one.runs) for one in now] == [("cancel order properly", 3)]
        ended = memory.get(user="ana", id=single[0].id)
        assert ended is not None
        assert ended.metadata["ended"] == {"action": "merge", "by": [now[0].id]}
        assert memory.learn_procedures("ana", ask=False).merged == 0
        server.check()


def test_a_run_that_is_forgotten_is_not_sent_again(open_memory: Open) -> None:
    def forget(asked: Asked, number: int) -> Fault:
        memory.forget(user="ana")
        return status(503)

    with (
        ScriptedLLM(RULES) as server,
        OpenAIModel("scripted", base_url=server.url, sleep=no_pause) as model,
    ):
        server.schedule = forget
        memory = open_memory(llm=model)
        add(memory, 1, 2, 3)

        report = memory.learn_procedures("ana")

        assert (report.new, report.worded, len(server.asked)) == (0, 0, 1)
        assert memory.procedures(user="ana") == []
