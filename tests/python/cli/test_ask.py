"""`memspan ask` against a real server on loopback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llm_faults import Fault
from scripted_llm import ScriptedLLM

ASK = ("ask", "Who is Rex?", "--user", "ana")


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMSPAN_LLM", "OPENAI_BASE_URL", "OPENAI_API_KEY", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def small(store: Path, run: Callable[..., Any], write_lines: Callable[..., Path]) -> Path:
    """A store with two turns of ana's."""
    turns = [
        {"id": "t1", "user": "ana", "speaker": "Bo", "text": "My dog is Rex.", "at": "2023-05-08"},
        {
            "id": "t2",
            "user": "ana",
            "speaker": "Bo",
            "text": "Bold \u001b[31mred\u001b[0m Quux.",
            "at": "2023-05-09",
        },
    ]
    run("ingest", write_lines(*turns), "--store", store)
    return store


def test_the_answer_goes_to_stdout_and_its_sources_to_stderr(
    small: Path, server: ScriptedLLM, run: Any
) -> None:
    result = run(*ASK, "--store", small, "--llm", "m", "--base-url", server.url)

    assert result.stdout == "Bo: My dog is Rex.\n"
    assert result.stderr == "sources: t1\n"
    assert server.asked[0].stream


def test_variables_stand_in_for_options(
    small: Path, server: ScriptedLLM, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMSPAN_LLM", "m")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("MEMSPAN_STORE", str(small))

    assert run(*ASK).stdout == "Bo: My dog is Rex.\n"
    assert server.asked[0].body["model"] == "m"


def test_json_has_everything(small: Path, server: ScriptedLLM, run_json: Any) -> None:
    model = ("--store", small, "--llm", "m", "--base-url", server.url)
    document = run_json(*ASK, *model, "--plan", "model", "--tokens", 100)

    assert (document["text"], document["sources"], document["enough"]) == ("Bo: My dog is Rex.", ["t1"], True)
    assert document["usage"]["calls"] == 2
    assert document["timings"]["total"] > 0
    assert "plan" not in document

    explained = run_json(*ASK, *model, "--explain")
    assert explained["plan"]["kind"] == "lookup"
    assert explained["context"]["tokens"] > 0
    assert [source["id"] for source in explained["context"]["sources"]] == ["t1", "t2"]


def test_explain_says_how_it_was_found(small: Path, server: ScriptedLLM, run: Any) -> None:
    result = run(*ASK, "--store", small, "--llm", "m", "--base-url", server.url, "--explain")

    assert result.stdout == "Bo: My dog is Rex.\n"
    for part in ("plan: lookup", "1 call,", "[#1] Bo: My dog is Rex.", "planning 0."):
        assert part in result.stderr


def test_nothing_found_is_said(small: Path, server: ScriptedLLM, run: Any) -> None:
    model = ("--store", small, "--llm", "m", "--base-url", server.url)
    result = run("ask", "Who is Rex?", "--user", "nobody", *model)

    assert result.stdout == "Not enough information in the memory.\n"
    assert result.stderr == (
        "the store knows no user 'nobody'; `memspan stats` lists its users\n"
        "sources: none\nnote: the model was not asked: nothing was found\n"
    )
    assert server.asked == []


def test_without_a_model_it_says_which_option_and_variable(small: Path, run: Any) -> None:
    output = " ".join(run(*ASK, "--store", small, code=2).output.split())

    for part in ("--llm MODEL", "MEMSPAN_LLM", "--base-url", "OPENAI_BASE_URL"):
        assert part in output


def test_without_a_key_for_the_public_server_it_says_so(small: Path, run: Any) -> None:
    said = run(*ASK, "--store", small, "--llm", "m", code=2).stderr
    assert said.startswith("Error: no key: set the environment variable OPENAI_API_KEY")
    assert "--base-url" in said


def test_control_characters_do_not_reach_the_terminal(small: Path, server: ScriptedLLM, run: Any) -> None:
    server.reply("answer_text", "a \u001b[31mred\u001b[0m\nSources: 2")
    result = run(*ASK, "--store", small, "--llm", "m", "--base-url", server.url, "--explain")

    assert "\u001b" not in result.output
    assert result.stdout.endswith("\n")


def test_a_server_that_is_down_or_hangs_up_ends_with_1(
    small: Path, server: ScriptedLLM, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ("--store", small, "--llm", "m", "--base-url", server.url)
    server.reply("answer_text", "word " * 200)
    server.misbehave(Fault(name="half", sent=0.5))
    result = run(*ASK, *model, code=1)
    assert result.stderr.startswith("Error: ")

    server.schedule = lambda asked, number: Fault(name="no", status=401)
    refused = run(*ASK, *model, code=1)
    assert refused.stderr.startswith("Error: ")
    assert refused.stdout == "", "no line of an answer that never came"


def test_usage_is_counted_under_the_recipe(small: Path, server: ScriptedLLM, run: Any, run_json: Any) -> None:
    run(*ASK, "--store", small, "--llm", "m", "--base-url", server.url, "--recipe", "simplemem")

    entries = run_json("stats", "--store", small, "--usage")["usage"]
    assert {(entry["stage"], entry["recipe"]) for entry in entries} == {
        ("plan", "simplemem"),
        ("answer", "simplemem"),
    }


@pytest.mark.parametrize(
    ("name", "reading"),
    [
        ("simplemem", "planned by model, 3 to 20 memories within 1,000 tokens"),
        ("promem", "planned by rules, 20 memories within 1,500 tokens"),
        ("swiftmem", "planned by rules, as many memories as 600 tokens hold, lifted by the 5 nearest tags"),
    ],
)
def test_recipes_show_how_they_answer(name: str, reading: str, run: Any, run_json: Any) -> None:
    assert f"questions: {reading}\n" in run("recipes", "show", name).stdout
    assert run_json("recipes", "show", name)["read"]["plan"] in reading
