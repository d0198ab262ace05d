"""`memspan eval --recipe` and `--answer`, over real HTTP with a scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llm_faults import status
from scripted_llm import ScriptedLLM, all_rules

Evaluate = Callable[..., Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    texts = ("I planted a quince by the well last week.", "My bees moved into the blue hive by the wall.")
    turns = [
        {"dia_id": f"D1:{number}", "speaker": name, "text": text}
        for number, (name, text) in enumerate(zip(("Ilka", "Tomasz"), texts, strict=True), 1)
    ]
    qa = [
        {
            "question": "Which hive did the bees choose?",
            "answer": "blue",
            "evidence": ["D1:2"],
            "category": 4,
        },
        {"question": "Where is the quince?", "answer": "by the well", "evidence": ["D1:1"], "category": 1},
        {"question": "Which boat did they sell?", "evidence": ["D1:1"], "category": 5},
    ]
    talk = {"session_1_date_time": "9:00 am on 4 April, 2022", "session_1": turns}
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": "orchard", "conversation": talk, "qa": qa}]))
    return path


@pytest.fixture
def evaluate(run: Any, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("MEMSPAN_LLM", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)

    def call(*arguments: Any, code: int = 0) -> Any:
        given = [str(each) for each in (file, "--store-dir", tmp_path / "eval", *arguments)]
        return run("eval", "locomo", *given, code=code)

    return call


def test_answers_beside_the_papers_figures(evaluate: Evaluate, server: ScriptedLLM) -> None:
    asking = ("--llm", "reader-1", "--base-url", server.url, "--answer", "--judge", "judge-1")
    asking += ("--reader", "read")
    output = evaluate(*asking).stdout
    assert "recipe verbatim; reader reader-1 by one prompt; judge judge-1 (generous)" in output
    assert "k=50" in output
    assert "micro" in output
    assert "macro of 2" in output
    assert "2 of 3 questions scored, 2 judged; 1 have no answer, 0 no gold answer" in output
    assert "not comparable: other model and judge" in output
    assert "not measured here" in output
    assert "SimpleMem (2026), table 4" in output
    asked = len(server.asked)
    reading = json.loads(evaluate(*asking, "--json", "--questions").stdout)["reading"]
    assert len(server.asked) == asked
    assert (reading["reader"], reading["judge"], reading["reader_prompt"]) == ("reader-1", "judge-1", 1)
    assert reading["micro"]["scores"]["judge"]["mean"] == 1
    assert reading["micro"]["refused"]["mean"] == 1
    assert reading["macro"]["f1"]["of"] == 2
    assert [each["correct"] for each in reading["answers"]] == [True, True, None]
    assert reading["failures"] == []
    assert {row["table"] for row in reading["published"]} >= {"1", "3", "4"}


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_a_narrow_terminal_shows_names_and_figures_whole(
    evaluate: Evaluate, server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    asking = ("--llm", "reader-1", "--base-url", server.url, "--answer", "--judge", "judge-1")
    evaluate(*asking, "--json")  # what follows is kept, and read alone
    monkeypatch.setenv("COLUMNS", columns)
    beside = evaluate(*asking).stdout.partition("the papers' own figures")[2]
    assert "…" not in beside
    for whole in ("SimpleMem (2026), table 4", "memspan verbatim", "beside this run", "not comparable"):
        assert whole in beside


def test_the_memory_answers_by_default(evaluate: Evaluate, server: ScriptedLLM) -> None:
    asking = ("--llm", "reader-1", "--base-url", server.url, "--answer", "--tokens", 0)
    output = evaluate(*asking).stdout
    assert "reader reader-1 by Memory.ask; no judge; contexts of at most 600 tokens" in output
    assert "planned by rules" in output
    assert [each.task for each in server.asked] == ["answer"] * 3
    reading = json.loads(evaluate(*asking, "--json", "--questions").stdout)["reading"]
    assert len(server.asked) == 3
    assert (reading["asked_by"], reading["k"], reading["plans_failed"]) == ("ask", None, 0)
    assert reading["answers"][0]["sources"] == ["D1:2"]
    assert "rerank_ms" in evaluate(*asking, "--view", "lexical", code=2).stderr


def test_the_judge_may_be_served_elsewhere(evaluate: Evaluate, server: ScriptedLLM) -> None:
    with ScriptedLLM(all_rules()) as other:
        asking = ("--llm", "reader-1", "--base-url", server.url, "--answer", "--judge", "reader-1")
        evaluate(*asking, "--judge-base-url", other.url)
        assert {each.task for each in other.asked} == {"judge_generous"}
        assert {each.task for each in server.asked} == {"answer"}
    assert (
        "name the model" in evaluate("--answer", "--llm", "m", "--judge-base-url", "http://h", code=2).stderr
    )


def test_costs_stand_beside_the_papers(evaluate: Evaluate, server: ScriptedLLM) -> None:
    making = ("--recipe", "lightmem", "--llm", "maker", "--base-url", server.url)
    output = evaluate(*making).stdout
    assert "the columns of LightMem's table 2" in output
    assert "memspan lightmem" in output
    for row in ("LightMem r=0.7 th=512", "Mem0", "SimpleMem"):
        assert row in output
    document = json.loads(evaluate(*making, "--json").stdout)["construction"]
    assert document["undecided"] == 0
    assert document["a_conversation"]["calls"] == len(server.asked)
    plain = json.loads(evaluate(*making, "--no-consolidate", "--json").stdout)
    assert plain["construction"]["a_conversation"]["update_in_k"] == 0


def test_a_recipe_with_what_it_took(evaluate: Evaluate, server: ScriptedLLM) -> None:
    making = ("--recipe", "simplemem", "--llm", "maker", "--base-url", server.url)
    output = evaluate(*making).stdout
    assert "memories by recipe simplemem: " in output
    assert "extract" in output
    asked = len(server.asked)
    document = json.loads(evaluate(*making, "--json").stdout)
    assert len(server.asked) == asked
    assert document["recipe"] == "simplemem"
    assert document["construction"]["complete"]
    assert document["construction"]["records"] > 0
    assert "reading" not in document
    both = json.loads(evaluate(*making, "--answer", "--json").stdout)["reading"]
    assert both["recipe"] == "simplemem"
    assert both["construction_a_conversation"]["calls"] == asked
    assert both["seconds_a_conversation"]["construction"] > 0


def test_failures_are_said(evaluate: Evaluate, server: ScriptedLLM) -> None:
    server.rules["answer"] = lambda asked: "no JSON"
    found = evaluate("--llm", "reader-1", "--base-url", server.url, "--answer")
    assert "3 questions without an answer" in found.stderr
    assert "orchard/0: BadReplyError" in found.stderr
    server.schedule = lambda asked, number: status(401)
    found = evaluate("--llm", "reader-1", "--base-url", server.url, "--answer")
    assert "3 questions without an answer" in found.stderr


def test_options_that_do_not_go_together(evaluate: Evaluate) -> None:
    assert "--answer needs --llm" in evaluate("--answer", code=2).stderr
    reading = ("--answer", "--llm", "m", "--reader", "read")
    assert "--reader read needs --tokens" in evaluate(*reading, "--tokens", 0, code=2).stderr
    assert "--recipe promem needs --llm" in evaluate("--recipe", "promem", code=2).stderr
    assert "--judge needs --answer" in evaluate("--judge", "m", code=2).stderr


def test_a_model_in_the_environment_is_not_asked_without_being_needed(
    evaluate: Evaluate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSPAN_LLM", "gpt-4.1-mini")  # it would need a key
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    evaluate()
    assert "OPENAI_API_KEY" in evaluate("--answer", code=2).stderr
