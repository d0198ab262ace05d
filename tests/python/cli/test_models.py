"""`memspan models`."""

from __future__ import annotations

import pytest

from memspan.embed.registry import (
    DEFAULT_MODEL,
    DEFAULT_RERANKER,
    DEFAULT_TOKEN_MODEL,
    MODELS,
    RERANKERS,
    TOKEN_MODELS,
)


@pytest.fixture(autouse=True)
def _no_models(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMSPAN_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr("importlib.metadata.distribution", _no_distribution)


def _no_distribution(name):
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)


def test_list_says_what_each_model_is(run_json, tmp_path):
    document = run_json("models", "list")
    assert document["folder"] == str(tmp_path / "models")
    assert [model["name"] for model in document["models"]] == [*MODELS, *TOKEN_MODELS, *RERANKERS]
    default = next(model for model in document["models"] if model["default"])
    assert default["name"] == DEFAULT_MODEL
    assert default["path"] is None
    assert {"dim", "bytes", "licence", "pooling", "query_prefix", "source", "files"} <= set(default)
    assert all(len(file["sha256"]) == 64 for file in default["files"])
    reranker = next(model for model in document["models"] if model["kind"] == "reranker")
    assert reranker["name"] == DEFAULT_RERANKER
    assert reranker["default"]
    assert "dim" not in reranker
    tokens = next(model for model in document["models"] if model["kind"] == "token embedder")
    assert (tokens["name"], tokens["dim"], tokens["default"]) == (DEFAULT_TOKEN_MODEL, 96, True)
    assert tokens["licence"] == "Apache-2.0"
    assert "pooling" not in tokens


def test_list_as_a_table(run):
    output = run("models", "list").stdout
    assert DEFAULT_MODEL in output.replace("\n", "")
    assert "MIT" in output
    assert "reranker" in output
    assert "token embedder" in output


def test_verify_of_a_missing_model_names_the_command(run):
    assert "memspan models pull" in run("models", "verify", code=1).stderr
    message = run("models", "verify", DEFAULT_RERANKER, code=1).stderr
    assert f"memspan models pull {DEFAULT_RERANKER}" in message.replace("\n", " ")
    message = run("models", "verify", DEFAULT_TOKEN_MODEL, code=1).stderr
    assert f"memspan models pull {DEFAULT_TOKEN_MODEL}" in message.replace("\n", " ")


def place(tmp_path, *specs):
    for spec in specs:
        folder = tmp_path / "models" / spec.name
        folder.mkdir(parents=True)
        for file in spec.files:
            with (folder / file.name).open("wb") as stream:
                stream.truncate(file.size)


def test_verify_finds_a_changed_file(run_json, tmp_path):
    place(tmp_path, MODELS[DEFAULT_MODEL])
    document = run_json("models", "verify", DEFAULT_MODEL, code=1)
    assert document["ok"] is False
    (model,) = document["models"]
    assert (model["name"], model["ok"]) == (DEFAULT_MODEL, False)
    assert len(model["problems"]) == 2
    assert "sha256" in model["problems"][0]


def test_verify_without_a_name_takes_what_pull_fetches(run, run_json, tmp_path):
    place(tmp_path, MODELS[DEFAULT_MODEL], TOKEN_MODELS[DEFAULT_TOKEN_MODEL])
    document = run_json("models", "verify", code=1)
    assert [model["name"] for model in document["models"]] == [DEFAULT_MODEL, DEFAULT_TOKEN_MODEL]
    assert f"{DEFAULT_TOKEN_MODEL}: 2 problems" in run("models", "verify", code=1).stderr


def test_an_unknown_model_lists_the_known_ones(run):
    assert DEFAULT_MODEL in run("models", "pull", "gpt-9", code=2).stderr


def test_pull_reports_each_step_on_stderr(run_json, run, monkeypatch, tmp_path):
    from memspan.embed.models import ModelFiles
    from memspan.embed.registry import get_spec

    def pull(names, progress):
        progress("downloading")
        folders = [(name, tmp_path / name) for name in names]
        return [
            ModelFiles(spec=get_spec(name), model=folder / "model.onnx", tokenizer=folder / "t.json")
            for name, folder in folders
        ]

    monkeypatch.setattr("memspan.cli.commands.models.pull_models", pull)
    stderr = run("models", "pull").stderr
    assert "downloading" in stderr
    assert f"{DEFAULT_TOKEN_MODEL} is in" in stderr
    both = run_json("models", "pull")["models"]
    assert both == [
        {"name": name, "path": str(tmp_path / name)} for name in (DEFAULT_MODEL, DEFAULT_TOKEN_MODEL)
    ]
    assert run_json("models", "pull", DEFAULT_RERANKER)["models"] == [
        {"name": DEFAULT_RERANKER, "path": str(tmp_path / DEFAULT_RERANKER)}
    ]


def test_list_where_no_home_directory_is_known(run_json, homeless):
    document = run_json("models", "list")
    assert document["folder"] is None
    assert {model["path"] for model in document["models"]} == {None}
