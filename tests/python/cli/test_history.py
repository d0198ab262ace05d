"""`memspan history`, `memspan retire` and searches at other times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memspan import Memory
from memspan.cli.main import cli
from memspan.times import from_micros, now_micros


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "m"
    with Memory(path, "hash") as memory:
        memory.add([{"id": "m1", "text": "green tea", "at": "2023-05-08"}], user="ana")
        memory.add([{"id": "m1", "text": "black tea", "at": "2023-05-08"}], user="ana")
        memory.add([{"id": "m2", "text": "no tea", "at": "2023-06-01"}], user="ana")
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def run_json(*arguments: str) -> Any:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_history(store: Path) -> None:
    there = ("--store", str(store), "--user", "ana")
    found = run_json("history", "m1", *there)
    assert [one["text"] for one in found["versions"]] == ["green tea", "black tea"]
    old, new = found["versions"]
    assert old["action"] == "overwrite"
    assert old["recorded_at"] < old["retired_at"] == new["recorded_at"]
    assert old["until"] is new["retired_at"] is None
    shown = run("history", "m1", *there)
    assert "green tea" in shown.output
    assert "overwrite" in shown.output
    assert run("history", "m9", *there).exit_code != 0


def test_retiring_and_looking_back(store: Path) -> None:
    there = ("--store", str(store), "--user", "ana")
    before = from_micros(now_micros()).isoformat()
    assert run_json("retire", "m1", *there, "--at", "2023-05-20") == {
        "store": str(store),
        "user": "ana",
        "retired": 1,
        "by": None,
    }
    new = run_json("retire", "m2", *there, "--text", "white tea")["by"]
    assert run("retire", new, *there, "--by", "m9").exit_code != 0
    assert run("retire", "m1", "m2", *there, "--by", new).exit_code == 2

    def texts(*more: str) -> set[str]:
        return {hit["text"] for hit in run_json("search", "tea", *there, *more)["hits"]}

    assert texts() == {"white tea"}
    assert texts("--as-of", before) == {"black tea", "no tea"}
    assert texts("--valid-at", "2023-05-10") == {"black tea"}
    assert texts("--valid-at", "2023-06-02") == {"no tea"}
    assert run("search", "tea", *there, "--valid-at", "soon").exit_code != 0
    context = run("search", "tea", *there, "--context", "--valid-at", "2023-05-10")
    assert "black tea" in context.output
    assert "1 record retired" in run("retire", new, *there).output


def test_retiring_for_another_text_in_a_full_kind(tmp_path: Path) -> None:
    path = tmp_path / "full"
    with Memory(path, "hash", quotas=10) as memory:
        memory.add([{"id": f"m{n}", "text": f"tea {n}", "kind": "semantic"} for n in range(4)], user="ana")
    there = ("--store", str(path), "--user", "ana")
    new = run_json("retire", "m0", *there, "--text", "coffee")["by"]
    assert {hit["id"] for hit in run_json("latest", *there)["records"]} >= {new}
    (last, *_) = run_json("runs", *there)["runs"]
    assert (last["action"], last["state"]) == ("supersede", "done")
    assert run("undo", last["id"], "--store", str(path)).exit_code == 0
    assert run_json("evicted", *there)["records"] == []
