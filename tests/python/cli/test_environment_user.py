"""`MEMSPAN_USER` where no user has to be named, and what is said of runs that are not there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
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


def test_every_command_about_a_store_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
        for name, command in group.commands.items():
            yield f"{path}{name}", command
            if isinstance(command, click.Group):
                yield from commands(command, f"{path}{name} ")

    options = {
        path: parameter
        for path, command in commands(cli)
        for parameter in command.params
        if "--user" in parameter.opts and isinstance(parameter, click.Option)
    }
    assert len(options) > 20
    # These two choose from a file: it would leave out whoever else is in it.
    left_out = {path for path, option in options.items() if option.envvar != "MEMSPAN_USER"}
    assert left_out == {"ingest", "eval"}
    for path in left_out:
        assert "MEMSPAN_USER does not stand in" in " ".join(run(path, "--help").output.split())


@pytest.mark.parametrize(
    "command",
    [
        ("stats",),
        ("jobs",),
        ("jobs", "--retry"),
        ("process", "--llm", "none", "--base-url", "http://127.0.0.1:9/v1"),
        ("consolidate",),
        ("consolidate", "--dry-run"),
        ("quotas",),
        ("resources", "list"),
        ("resources", "check"),
    ],
    ids=" ".join,
)
def test_it_names_the_user_where_none_has_to_be_named(
    store: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    def whose(*more: str) -> tuple[str | None, str]:
        done = run(*command, "--store", str(store), *more, "--json")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)["user"], done.stderr

    assert whose() == (None, "")
    monkeypatch.setenv("MEMSPAN_USER", "ana")
    assert whose() == ("ana", "user 'ana' only, as MEMSPAN_USER says; --user '' is everybody\n")
    assert whose("--user", "ben") == ("ben", "")
    assert whose("--user", "") == (None, "")


def test_it_narrows_what_is_changed(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(store, "hash") as memory:
        memory.set_lifetime("episodic", 1e-6)
    monkeypatch.setenv("MEMSPAN_USER", "ana")
    assert run("consolidate", "--store", str(store)).exit_code == 0
    assert run("quotas", "--store", str(store), "--capacity", "3").exit_code == 0
    with Memory(store, "hash") as memory:
        assert memory.get(user="ana", id="m1") is None
        assert memory.get(user="ben", id="m1") is not None
        assert memory.quotas("ana") is not None
        assert memory.quotas() is None


def test_errors_name_what_both_python_and_the_shell_have(store: Path) -> None:
    for command in (("undo", "odd"), ("runs", "--user", "ana", "--log", "--run", "odd")):
        failed = run(*command, "--store", str(store))
        assert failed.exit_code == 1
        assert "odd" in failed.output
        assert "`memspan runs` lists them" in failed.output
        assert "Memory" not in failed.output
