"""`MEMSPAN_USER` where no user has to be named, and what is said of runs that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memspan import Memory
from memspan.cli.main import cli


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "m"
    with Memory(path, "hash") as memory:
        for user in ("ana", "ben"):
            memory.add([{"id": "m1", "text": "green tea"}], user=user)
            memory.retire(user=user, ids=["m1"])
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def users_of_runs(store: Path, *more: str) -> set[str]:
    return {
        one["user"] for one in json.loads(run("runs", "--store", str(store), *more, "--json").stdout)["runs"]
    }


def test_it_names_the_user_of_runs_and_of_the_audit(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def retired(*more: str) -> int:
        asked = ("audit", "--store", str(store), "--action", "retire", *more, "--json")
        return len(json.loads(run(*asked).stdout)["entries"])

    assert users_of_runs(store) == {"ana", "ben"}
    assert retired() == 2
    monkeypatch.setenv("MEMSPAN_USER", "ana")
    assert users_of_runs(store) == {"ana"}
    assert users_of_runs(store, "--user", "ben") == {"ben"}
    assert users_of_runs(store, "--user", "") == {"ana", "ben"}
    assert retired() == 1
    assert retired("--user", "") == 2
    assert run("runs", "--store", str(store), "--log").exit_code == 0
    for command in ("runs", "audit"):
        assert "MEMSPAN_USER" in run(command, "--help").output


def test_errors_name_what_both_python_and_the_shell_have(store: Path) -> None:
    for command in (("undo", "odd"), ("runs", "--user", "ana", "--log", "--run", "odd")):
        failed = run(*command, "--store", str(store))
        assert failed.exit_code == 3
        assert "odd" in failed.output
        assert "`runs` lists them" in failed.output
        assert "Memory" not in failed.output
