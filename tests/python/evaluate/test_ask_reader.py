"""The reader `ask`: what is measured is `Memory.ask`, over real HTTP with a scripted model."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answers_read import read, run
from llm_faults import slow, status
from scripted_llm import Asked, ScriptedLLM, no_pause

from memspan import Memory
from memspan.errors import InvalidArgumentError
from memspan.evaluate.reading.asking import Reading
from memspan.llm import OpenAIModel
from memspan.recipes import Reading as Way
from memspan.recipes import Recipe

Labelled = Any
GOLDS = ["first flower", "Saturday", "-", "blue hive", "-"]


@pytest.fixture
def model(server: ScriptedLLM) -> Iterator[OpenAIModel]:
    with OpenAIModel("reader", base_url=server.url, retries=0, sleep=no_pause) as opened:
        yield opened


@pytest.fixture
def path(answered: Any) -> Path:
    found: Path = answered(GOLDS)
    return found


def tasks(server: ScriptedLLM) -> list[str]:
    return [each.task for each in server.asked]


def test_answers_are_those_of_the_memory(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    report = read(path, stores, Reading(llm=model, judge=model))
    assert tasks(server).count("answer") == 5
    assert (report.asked_by, report.plan, report.k, report.tokens) == ("ask", "rules", None, 600)
    cider, hive = report.answers[1], report.answers[3]
    assert (cider.sources, hive.sources) == (("D2:1",), ("D1:2",))
    assert cider.correct
    assert hive.correct
    assert all(0 < each.context_tokens <= 600 for each in report.answers)
    assert report.times()["retrieval"] > 0
    document = report.to_dict(questions=True)
    assert (document["asked_by"], document["plan"], document["k"]) == ("ask", "rules", None)
    assert document["answers"][1]["sources"] == ["D2:1"]


def test_to_be_answered_from_is_no_use(path: Path, stores: Path, model: OpenAIModel) -> None:
    found = run(path, stores, reading=Reading(llm=model))
    users = {each.question.user for each in found.questions}
    with Memory(found.files[0].store, "hash:64") as memory, memory._engine.store.reading() as reader:
        assert not any(list(reader.uses.of(user)) for user in users)


def test_a_second_run_asks_nothing_and_costs_the_same(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    first = read(path, stores, Reading(llm=model, judge=model))
    asked = len(server.asked)
    second = read(path, stores, Reading(llm=model, judge=model))
    assert len(server.asked) == asked
    assert [each.text for each in second.answers] == [each.text for each in first.answers]
    assert second.usage() == first.usage()
    assert first.usage().calls == 5
    read(path, stores, Reading(llm=model, judge_address="elsewhere", judge=model))
    assert tasks(server)[asked:] == ["judge_generous"] * (asked - 5)
    read(path, stores, Reading(llm=model, tokens=40))  # other memories are shown: another question
    assert tasks(server).count("answer") > 5


def test_an_interrupted_run_goes_on_where_it_stopped(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    def interrupt(asked: Asked, number: int) -> Any:
        if number != 2:
            return None
        os.kill(os.getpid(), signal.SIGINT)
        return slow(30)

    server.schedule = interrupt
    with pytest.raises(KeyboardInterrupt):
        run(path, stores, reading=Reading(llm=model, at_once=1))
    server.schedule = lambda asked, number: None
    assert read(path, stores, Reading(llm=model)).overall().failed == 0
    assert len(server.asked) == 6  # two answers were kept


def test_the_recipes_way_of_answering_counts(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    way = Recipe(name="mine", summary="", read=Way(plan="model", least=1, most=3, tokens=50))
    report = read(path, stores, Reading(llm=model), recipe=way)
    assert (tasks(server).count("plan"), tasks(server).count("answer")) == (5, 5)
    assert (report.recipe, report.plan, report.tokens, report.plans_failed()) == ("mine", "model", 50, 0)
    assert report.usage().calls == 10
    assert all(each.context_tokens <= 50 for each in report.answers)
    again = read(path, stores, Reading(llm=model), recipe=way)
    assert len(server.asked) == 10
    assert again.usage() == report.usage()


def test_plans_that_failed_are_counted(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    server.schedule = lambda asked, number: status(500) if asked.task == "plan" else None
    report = read(path, stores, Reading(llm=model), recipe="simplemem", llm=model)
    assert report.plans_failed() == 5
    assert report.overall().failed == 0
    assert report.to_dict()["plans_failed"] == 5


def test_what_ask_cannot_follow_is_refused(path: Path, stores: Path, model: OpenAIModel) -> None:
    with pytest.raises(InvalidArgumentError, match="rerank_ms"):
        run(path, stores, reading=Reading(llm=model), options={"views": ["lexical"]})
    with pytest.raises(InvalidArgumentError, match="reader 'read'"):
        run(path, stores, reading=Reading(llm=model), ask=lambda *arguments: None)
    with pytest.raises(InvalidArgumentError, match="ask | read"):
        Reading(llm=model, reader="other")
    with pytest.raises(InvalidArgumentError, match="tokens"):
        Reading(llm=model, tokens=0)
    assert not stores.exists()


def test_the_update_in_sleep_is_part_of_making_memories(
    labelled: Labelled, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    def twice(samples: Any) -> None:
        talk = samples[0]["conversation"]
        for session in (1, 2):
            said = [
                {"dia_id": f"D{session}:1", "speaker": "Ilka", "text": "The quince stands by the old well."}
            ]
            talk[f"session_{session}"] = said
        samples[0]["qa"] = [{"question": "Where is the quince?", "evidence": ["D1:1"], "category": 4}]
        del samples[1]

    path = labelled("locomo", twice)
    server.schedule = lambda asked, number: status(500) if asked.task == "update" else None
    undecided = run(path, stores, recipe="lightmem", llm=model).construction
    assert undecided is not None
    assert undecided.undecided == 1
    assert not undecided.complete
    server.schedule = lambda asked, number: None
    made = run(path, stores, recipe="lightmem", llm=model).construction
    assert made is not None
    assert made.complete
    assert made.records == 3  # one a session, and the merged one
    assert made.usage(update=True).calls == 1
    assert made.cost()["update_in_k"] > 0
    assert made.cost()["calls"] == 3
    asked = len(server.asked)
    again = run(path, stores, recipe="lightmem", llm=model)
    assert len(server.asked) == asked
    assert again.construction == made
    plain = run(path, stores, recipe="lightmem", llm=model, consolidate=False)
    assert plain.construction is not None
    assert plain.construction.usage(update=True).calls == 0
    assert plain.files[0].store != again.files[0].store
