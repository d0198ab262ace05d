"""What sleep decided is kept with its run, and read back with the names of memories."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from scripted_llm import ScriptedLLM, all_rules

from memspan.cli.main import cli
from memspan.errors import InvalidArgumentError
from memspan.lifecycle.sleep.update import SleepUpdate
from memspan.llm import OpenAIModel
from memspan.memory import Memory
from memspan.recipes import Recipe

SLEEPY = Recipe(name="sleepy", summary="for tests", sleep=SleepUpdate(least=0.5))
FACTS = [
    "Ana has a red boat in the old harbour.",
    "Ana has a red boat in the old harbour no longer.",
    "Ben likes green tea in the morning.",
    "Ben likes green tea in the morning and cake.",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent.memspan"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with (
        ScriptedLLM(all_rules()) as server,
        OpenAIModel("scripted", base_url=server.url, retries=0) as model,
        Memory(path, "hash:64", llm=model, recipe=SLEEPY) as opened,
    ):
        for number, text in enumerate(FACTS):
            opened.add(
                {
                    "id": f"f{number}",
                    "text": text,
                    "at": number * 1_000_000,
                    "kind": "semantic",
                    "sources": [f"t{number}"],
                    "metadata": {"recipe": "sleepy"},
                },
                user="ana",
            )
        yield opened


def test_decisions_are_kept_and_named(memory: Memory, path: Path) -> None:
    assert memory.sleep_log("ana") == []
    report = memory.consolidate("ana", merge=True)
    assert report.sleep is not None
    found = {one.memory: one for one in memory.sleep_log("ana")}
    assert found["f0"].outcome == "retired"
    assert found["f0"].later == ("f1",)
    assert found["f2"].outcome == "kept"
    (run,) = memory.runs("ana")
    assert memory.user("ana").sleep_log(run.id) == memory.sleep_log("ana")
    assert memory.sleep_log("nobody") == []
    with pytest.raises(InvalidArgumentError, match="run"):
        memory.sleep_log("ana", "unknown")
    memory.forget(user="ana", id="f1")
    assert {one.memory: one for one in memory.sleep_log("ana", run.id)}["f0"].later == (None,)
    with sqlite3.connect(path) as connection:
        reports = [row[0] for row in connection.execute("SELECT report FROM runs")]
    assert reports
    assert not any(word in report for report in reports for word in ("boat", "tea", "f1", "harbour"))


def test_the_command_line_shows_them(memory: Memory, path: Path) -> None:
    memory.consolidate("ana")

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["runs", "--store", str(path), *arguments])

    shown = run("--user", "ana", "--log").output
    assert "retired" in shown
    assert "f0" in shown
    (known,) = memory.runs("ana")
    found = json.loads(run("--user", "ana", "--log", "--run", known.id, "--json").output)["decisions"]
    assert {one["memory"]: one["outcome"] for one in found}["f0"] == "retired"
    assert "no model was asked" in run("--user", "nobody", "--log").output
    assert run("--log").exit_code == 2
