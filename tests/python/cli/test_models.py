"""`memspan models`."""

from __future__ import annotations

import pytest

from memspan.embed.registry import DEFAULT_MODEL, DEFAULT_RERANKER, MODELS, RERANKERS


@pytest.fixture(autouse=True)
def _no_models(monkeypatch, tmp_path):
    monkeypatch.setenv("MEMSPAN_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr("memspan.embed.models.metadata.distribution", _no_distribution)


def _no_distribution(name):
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)


def test_list_says_what_each_model_is(run_json, tmp_path):
    document = run_json("models", "list")
    assert document["folder"] == str(tmp_path / "models")
    assert [model["name"] for model in document["models"]] == [*MODELS, *RERANKERS]
    default = next(model for model in document["models"] if model["default"])
    assert default["name"] == DEFAULT_MODEL
    assert default["path"] is None
    assert {"dim", "bytes", "licence", "pooling", "query_prefix", "source", "files"} <= set(default)
    assert all(len(file["sha256"]) == 64 for file in default["files"])
    reranker = next(model for model in document["models"] if model["kind"] == "reranker")
    assert reranker["name"] == DEFAULT_RERANKER
    assert reranker["default"]
    assert "dim" not in reranker


def test_list_as_a_table(run):
    output = run("models", "list").stdout
    assert DEFAULT_MODEL in output.replace("\n", "")
    assert "MIT" in output
    assert "reranker" in output


def test_verify_of_a_missing_model_names_the_command(run):
    assert "memspan models pull" in run("models", "verify", code=1).stderr
    message = run("models", "verify", DEFAULT_RERANKER, code=1).stderr
    assert f"memspan models pull {DEFAULT_RERANKER}" in message.replace("\n", " ")


def test_verify_finds_a_changed_file(run_json, tmp_path):
    folder = tmp_path / "models" / DEFAULT_MODEL
    folder.mkdir(parents=True)
    for file in MODELS[DEFAULT_MODEL].files:
        with (folder / file.name).open("wb") as stream:
            stream.truncate(file.size)
    document = run_json("models", "verify", code=1)
    assert document["ok"] is False
    assert len(document["problems"]) == 2
    assert "sha256" in document["problems"][0]


def test_an_unknown_model_lists_the_known_ones(run):
    assert DEFAULT_MODEL in run("models", "pull", "gpt-9", code=2).stderr


def test_pull_reports_each_step_on_stderr(run_json, run, monkeypatch, tmp_path):
    from memspan.embed.models import ModelFiles

    def pull(name, progress):
        progress("downloading")
        return ModelFiles(
            spec=MODELS[name], model=tmp_path / "m" / "model.onnx", tokenizer=tmp_path / "m" / "t.json"
        )

    monkeypatch.setattr("memspan.cli.models.pull_model", pull)
    assert "downloading" in run("models", "pull").stderr
    assert run_json("models", "pull") == {"name": DEFAULT_MODEL, "path": str(tmp_path / "m")}
