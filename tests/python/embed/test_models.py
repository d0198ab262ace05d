from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memspan.embed import DEFAULT_MODEL, MODELS, find_model, model_dir, pull_model, verify_model
from memspan.embed.registry import (
    DEFAULT_RERANKER,
    DEFAULT_TOKEN_MODEL,
    RERANKERS,
    TOKEN_MODELS,
    get_spec,
)
from memspan.errors import InvalidArgumentError, ModelNotFoundError


def place(folder: Path, contents: dict[str, bytes]) -> None:
    folder.mkdir(parents=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)


def test_every_known_model_is_fully_described() -> None:
    assert DEFAULT_MODEL in MODELS
    assert DEFAULT_RERANKER in RERANKERS
    assert DEFAULT_TOKEN_MODEL in TOKEN_MODELS
    names = [*MODELS, *TOKEN_MODELS, *RERANKERS]
    assert len(set(names)) == len(names)
    assert all(spec.pooling in ("cls", "mean") for spec in MODELS.values())
    for name, spec in [*MODELS.items(), *TOKEN_MODELS.items(), *RERANKERS.items()]:
        assert spec.name == name
        assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", name)
        assert spec.licence
        assert spec.size == sum(file.size for file in spec.files)
        for file in spec.files:
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
            assert file.size > 0
            assert Path(file.name).name == file.name
    with pytest.raises(TypeError):
        MODELS["mine"] = MODELS[DEFAULT_MODEL]  # type: ignore[index]


def test_the_folder_is_the_users_unless_the_environment_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("MEMSPAN_MODELS", raising=False)
    assert model_dir().parts[-2:] == ("memspan", "models")
    monkeypatch.setenv("MEMSPAN_MODELS", str(tmp_path))
    assert model_dir() == tmp_path


def test_without_a_home_directory_models_are_those_of_installed_packages(
    made_up: Any, homeless: None
) -> None:
    assert find_model("made-up") is None
    with pytest.raises(ModelNotFoundError, match=r"no home directory is known, so set \$MEMSPAN_MODELS"):
        verify_model("made-up")
    for function in (model_dir, lambda: pull_model("made-up")):
        with pytest.raises(ModelNotFoundError, match=r"no home directory is known; set \$MEMSPAN_MODELS"):
            function()


@pytest.mark.parametrize("name", ["", "bge", "../x", None, 7, ["a"]])
def test_an_unknown_name_lists_the_known_ones(name: Any) -> None:
    for function in (get_spec, find_model, verify_model):
        with pytest.raises(InvalidArgumentError, match=f"name: got .*{DEFAULT_MODEL}"):
            function(name)


def test_a_model_is_found_in_the_folder_when_all_files_have_their_size(
    made_up: Any, models_folder: Path, wheels: ModuleType
) -> None:
    assert find_model("made-up") is None
    with pytest.raises(ModelNotFoundError, match="memspan models pull made-up"):
        verify_model("made-up")
    place(models_folder / "made-up", wheels.CONTENTS)
    found = find_model("made-up")
    assert found is not None
    assert found.spec is made_up
    assert found.paths == (models_folder / "made-up/model.onnx", models_folder / "made-up/tokenizer.json")
    assert verify_model("made-up") == []
    found.model.write_bytes(b"short")
    assert find_model("made-up") is None


def test_verify_reports_a_changed_byte(made_up: Any, models_folder: Path, wheels: ModuleType) -> None:
    graph = wheels.CONTENTS["model.onnx"]
    place(models_folder / "made-up", {**wheels.CONTENTS, "model.onnx": b"G" + graph[1:]})
    (problem,) = verify_model("made-up")
    assert "model.onnx: sha256 is" in problem
    assert made_up.model.sha256 in problem


def test_a_model_is_found_in_an_installed_distribution_that_is_never_imported(
    made_up: Any, wheels: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    place(site / "made_up/data", wheels.CONTENTS)
    (site / "made_up/__init__.py").write_text("raise AssertionError('imported')")
    info = site / f"{made_up.package.replace('-', '_')}-1.0.dist-info"
    place(info, {"METADATA": f"Metadata-Version: 2.1\nName: {made_up.package}\nVersion: 1.0\n".encode()})
    monkeypatch.syspath_prepend(str(site))
    found = find_model("made-up")
    assert found is not None
    assert found.model == site / "made_up/data/model.onnx"
    assert verify_model("made-up") == []
    assert "made_up" not in sys.modules
