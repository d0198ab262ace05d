"""memspan procedures: learn and show how things are done."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_sessions import cancel_order
from rules_procedures import RULES
from scripted_llm import ScriptedLLM

Run = Callable[..., Any]


@pytest.fixture
def store(run: Run, tmp_path: Path) -> Path:
    """A store with four sessions in which orders were cancelled, one in vain."""
    lines = [cancel_order(number, fails=number == 4) for number in range(1, 5)]
    for line in lines:
        for message in line["messages"]:
            message.pop("id")
    file = tmp_path / "agent.jsonl"
    file.write_text("".join(json.dumps({"user": "ana", **line}) + "\n" for line in lines))
    run("ingest", file, "--store", tmp_path / "a.memspan")
    return tmp_path / "a.memspan"


def test_it_learns_and_shows(run: Run, store: Path) -> None:
    shown = run("procedures", "--store", store, "--user", "ana", "--learn")

    assert "How to cancel order" in shown.stdout
    assert "3. cancel_order(order: order of step 1" in shown.stdout
    assert "3 of 4 runs worked, 1 failed; 2024-05-05" in shown.stdout
    assert "12 actions in 4 sessions: 1 procedure, 1 new, 0 changed" in shown.stderr
    again = run("procedures", "--store", store, "--user", "ana")
    assert again.stdout == shown.stdout


def test_it_speaks_json(run_json: Run, store: Path) -> None:
    found = run_json("procedures", "--store", store, "--user", "ana", "--learn")

    assert found["learnt"]["new"] == 1
    (one,) = found["procedures"]
    assert (one["successes"], one["failures"], one["runs"], len(one["steps"])) == (3, 1, 4, 3)
    assert run_json("procedures", "--store", store, "--user", "ana")["learnt"] is None


def test_a_dry_run_says_what_it_would_do(run: Run, store: Path) -> None:
    said = run("procedures", "--store", store, "--user", "ana", "--learn", "--dry-run")

    assert "1 new, 0 changed, nothing written" in said.stderr
    assert said.stdout == ""
    assert (
        "has no procedures; `--learn` looks for some"
        in run("procedures", "--store", store, "--user", "ana").stderr
    )


def test_a_model_finds_the_words(run: Run, store: Path) -> None:
    with ScriptedLLM(RULES) as server:
        said = run(
            "procedures",
            "--store",
            store,
            "--user",
            "ana",
            "--learn",
            "--llm",
            "scripted",
            "--base-url",
            server.url,
        )

    assert "How to cancel order properly" in said.stdout
    assert "1 call, " in said.stderr


@pytest.mark.parametrize("wrong", [["--dry-run"], ["--learn", "--base-url", "http://127.0.0.1:1"]])
def test_options_that_do_not_go_together(run: Run, store: Path, wrong: list[str]) -> None:
    run("procedures", "--store", store, "--user", "ana", *wrong, code=2)
