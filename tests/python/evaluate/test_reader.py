"""Recipes, and the reader `read`, over real HTTP with a scripted model."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import answers_read
import pytest
from llm_faults import slow, status
from scripted_llm import Asked, ScriptedLLM, no_pause

from memspan.errors import InvalidArgumentError, JobError
from memspan.evaluate import evaluate
from memspan.evaluate.reading.asking import Reading
from memspan.evaluate.sources import brought_by
from memspan.llm import OpenAIModel
from memspan.records import Record
from memspan.times import from_micros

Labelled = Any
GOLDS = ["first flower", "Saturday", None, "blue hive", "-"]


@pytest.fixture
def model(server: ScriptedLLM) -> Iterator[OpenAIModel]:
    with OpenAIModel("reader", base_url=server.url, retries=1, sleep=no_pause) as opened:
        yield opened


@pytest.fixture
def path(answered: Any) -> Path:
    found: Path = answered(GOLDS)
    return found


run = partial(answers_read.run, tokens=300)
read = partial(answers_read.read, tokens=300)


def test_answers_come_from_the_contexts_and_are_judged(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    report = read(path, stores, Reading(reader="read", llm=model, judge=model))
    assert [each.failure for each in report.answers] == [None] * 5
    first, cider, _, hive, trap = report.answers
    assert "first flower" in first.text or "quince" in first.text
    assert "cider on Saturday" in cider.text
    assert cider.correct
    assert hive.correct
    assert trap.correct is None  # adversarial: LoCoMo's rule, no judge
    overall = report.overall()
    assert (overall.questions, overall.scored, overall.judged, overall.without_gold) == (5, 3, 3, 1)
    assert overall.unanswerable == 1
    assert [each.task for each in server.asked].count("read") == 5
    assert [each.task for each in server.asked].count("judge_generous") == 3
    assert report.usage().calls == 5
    assert all(0 < each.context_tokens <= 300 for each in report.answers)


def test_a_second_run_asks_nothing_and_says_the_same(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    first = read(path, stores, Reading(reader="read", llm=model, judge=model))
    asked = len(server.asked)
    second = read(path, stores, Reading(reader="read", llm=model, judge=model))
    assert len(server.asked) == asked
    assert [each.text for each in second.answers] == [each.text for each in first.answers]
    assert second.usage() == first.usage()
    read(path, stores, Reading(reader="read", llm=model, address="elsewhere"))
    assert len(server.asked) == asked + 5


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
        run(path, stores, reading=Reading(reader="read", llm=model, at_once=1))
    assert len(server.asked) == 3
    server.schedule = lambda asked, number: None
    report = read(path, stores, Reading(reader="read", llm=model))
    assert len(server.asked) == 6  # two answers were kept
    assert report.overall().failed == 0
    whole = read(path, stores.parent / "whole", Reading(reader="read", llm=model))
    assert [each.text for each in report.answers] == [each.text for each in whole.answers]


def test_failures_are_counted_shown_and_asked_again(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    def trouble(asked: Asked, number: int) -> Any:
        wrong = asked.task == "read" and "cider" in asked.data["question"][0]
        return status(500) if wrong else None

    server.schedule = trouble
    report = read(path, stores, Reading(reader="read", llm=model, judge=model, at_once=1))
    overall = report.overall()
    assert (overall.questions, overall.failed, overall.scored) == (5, 2, 2)
    assert {each.question.id for each in report.failures()} == {"orchard/1", "orchard/4"}
    assert all("LLMError" in (each.failure or "") for each in report.failures())
    assert all(each.text == "" and each.correct is None for each in report.failures())
    server.schedule = lambda asked, number: None
    before = len(server.asked)
    again = read(path, stores, Reading(reader="read", llm=model, judge=model))
    assert again.overall().failed == 0
    assert len(server.asked) - before == 3  # two answers, and one verdict: the other one is adversarial


def test_an_answer_of_another_form_is_a_failure_and_no_guess(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    server.rules["read"] = lambda asked: "I would rather not say."
    report = read(path, stores, Reading(reader="read", llm=model))
    assert report.overall().failed == 5
    assert report.overall().scores == {}
    assert report.context_tokens() == 0


def test_a_judge_without_a_verdict_leaves_the_answer(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    server.rules["judge_generous"] = lambda asked: "maybe"
    overall = read(path, stores, Reading(reader="read", llm=model, judge=model)).overall()
    assert (overall.scored, overall.judged, overall.judge_failed) == (3, 0, 3)
    assert "judge" not in overall.scores


def test_a_server_that_is_gone_is_not_asked_for_ever(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memspan.evaluate.reading.tolerance._HOPELESS", 2)
    server.schedule = lambda asked, number: status(500)
    report = read(path, stores, Reading(reader="read", llm=model, at_once=1))
    reasons = [each.failure or "" for each in report.answers]
    assert [reason.startswith("not asked") for reason in reasons] == [False, False, True, True, True]
    assert len(server.asked) == 4  # each with its retry


def test_a_reader_needs_contexts(path: Path, stores: Path, model: OpenAIModel) -> None:
    with pytest.raises(InvalidArgumentError, match="tokens"):
        evaluate(
            "locomo", path, embedder="hash:64", store_dir=stores, reading=Reading(reader="read", llm=model)
        )
    with pytest.raises(InvalidArgumentError, match="at_once"):
        Reading(reader="read", llm=model, at_once=0)


def test_what_a_record_brings() -> None:
    def record(**more: Any) -> Record:
        return Record(id="r", user="u", text="t", at=from_micros(0), **more)

    assert brought_by(record()) == ("r",)
    assert brought_by(record(sources=("a", "b"))) == ("a", "b")
    assert brought_by(record(sources=("a", "b"), metadata={"sources": "window"})) == ()


def test_a_recipe_makes_memories_once_and_its_records_bring_their_turns(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    result = run(path, stores, recipe="simplemem", llm=model)
    made = result.construction
    assert made is not None
    assert made.complete
    assert (made.users, made.jobs) == (1, 2)
    assert made.records > 0
    assert made.seconds > 0
    assert {each.stage for each in made.stages} <= {"extract", "synthesise"}
    assert made.usage().calls == len(server.asked)
    assert made.usage(update=True).calls == 0
    derived = [each for each in result.questions if each.brought]
    assert derived
    for each in derived:
        assert {turn for turns in each.brought for turn in turns} <= {
            f"D{s}:{n}" for s in (1, 2) for n in (1, 2, 3)
        }
    assert result.groups()[0].scores["recall@5"].mean == 1
    asked = len(server.asked)
    second = run(path, stores, recipe="simplemem", llm=model)
    assert len(server.asked) == asked
    assert second.construction is not None
    assert second.construction.stages == made.stages
    assert second.construction.seconds == made.seconds
    assert [each.retrieved for each in second.questions] == [each.retrieved for each in result.questions]


def test_recipe_and_model_have_stores_of_their_own(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    plain = run(path, stores)
    assert plain.construction is None
    one = run(path, stores, recipe="simplemem", llm=model)
    with OpenAIModel("other", base_url=server.url) as other:
        two = run(path, stores, recipe="simplemem", llm=other)
    three = run(path, stores, recipe="promem", llm=model)
    found = {each.files[0].store for each in (plain, one, two, three)}
    assert len(found) == 4
    assert "simplemem" in one.files[0].store.name
    assert run(path, stores).files[0].store == plain.files[0].store


def test_a_recipe_without_a_model_says_so(path: Path, stores: Path) -> None:
    with pytest.raises(JobError, match="llm"):
        run(path, stores, recipe="simplemem")


def test_jobs_that_were_given_up_are_shown_and_tried_again(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memspan.remember.jobs.pace.Pace.pause", lambda pace, failures: 0.0)
    server.schedule = lambda asked, number: status(500)
    made = run(path, stores, recipe="simplemem", llm=model).construction
    assert made is not None
    assert not made.complete
    assert (made.parked, made.records) == (2, 0)
    server.schedule = lambda asked, number: None
    again = run(path, stores, recipe="simplemem", llm=model).construction
    assert again is not None
    assert again.complete
    assert again.records > 0
    assert again.seconds > made.seconds
