"""The command line on a store of its own, with the embedder that needs no model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memspan.cli.main import cli
from memspan.demo import conversation

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "MEMSPAN_STORE",
        "MEMSPAN_USER",
        "MEMSPAN_DEBUG",
        "COLUMNS",
        "FORCE_COLOR",
        "TTY_COMPATIBLE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMSPAN_EMBEDDER", "hash")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run() -> Run:
    """Run a command in this process: `run("search", "ferry", code=0)` checks the exit code as well."""

    def invoke(*arguments: object, stdin: str | bytes | None = None, code: int = 0) -> Result:
        result = CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin)
        assert result.exit_code == code, (result.exit_code, result.output, result.exception)
        return result

    return invoke


@pytest.fixture
def run_json(run: Run) -> Callable[..., Any]:
    """Run a command with `--json` and parse what it printed."""

    def invoke(*arguments: object, stdin: str | None = None, code: int = 0) -> Any:
        return json.loads(run(*arguments, "--json", stdin=stdin, code=code).stdout)

    return invoke


@pytest.fixture
def spawn() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command as a process of its own."""

    def invoke(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "memspan", *map(str, arguments)]
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **options.pop("env", {})}
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=environment,
            timeout=120,
            check=False,
            **options,
        )

    return invoke


@pytest.fixture(scope="session")
def conversation_file() -> Iterator[Path]:
    """The demo conversation."""
    with conversation() as path:
        yield path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A path where no store is yet."""
    return tmp_path / "chat.memspan"


@pytest.fixture
def filled(store: Path, conversation_file: Path, run: Run) -> Path:
    """A store that holds the demo conversation."""
    run("ingest", conversation_file, "--store", store)
    return store


@pytest.fixture
def write_lines(tmp_path: Path) -> Callable[..., Path]:
    """Write a JSON Lines file; strings go in as they are."""

    def write(*lines: object, name: str = "turns.jsonl") -> Path:
        path = tmp_path / name
        texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return path

    return write
