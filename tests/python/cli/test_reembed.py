"""`memspan reembed`."""

from __future__ import annotations

import pytest

from memspan import Memory
from memspan.store import inspect


def test_converts_every_record_and_leaves_the_rest(run, run_json, filled) -> None:
    before = run_json("search", "ferry", "--store", filled, "--user", "demo", "--fusion", "rrf")["hits"]
    result = run("reembed", "--store", filled, "--embedder", "hash:32")
    assert "records have vectors by 'hash' (dimension 32" in result.stderr
    assert "instead of 'hash' (dimension" in result.stderr
    assert result.stdout == ""
    after = run_json(
        "search", "ferry", "--store", filled, "--user", "demo", "--embedder", "hash:32", "--fusion", "rrf"
    )
    assert {hit["id"] for hit in after["hits"]} & {hit["id"] for hit in before}
    assert run_json("verify", "--store", filled)["ok"]
    assert any(entry["action"] == "reembed" for entry in run_json("audit", "--store", filled)["entries"])


def test_the_same_embedder_changes_nothing(run, run_json, filled) -> None:
    document = run_json("reembed", "--store", filled, "--embedder", "hash")
    assert document["before"] == document["embedder"] == "hash"
    assert document["records"] == run_json("stats", "--store", filled)["stats"]["records"]
    assert "filled the store already" in run("reembed", "--store", filled, "--embedder", "hash").stderr


def test_a_store_of_a_function_that_is_not_here(run, run_json, store) -> None:
    with Memory(store, lambda texts: [[1.0, float(len(text))] for text in texts]) as memory:
        memory.add("the ferry leaves at noon", user="ana", at="2024-05-01")
    refused = run("search", "ferry", "--store", store, "--user", "ana", code=1)
    assert "memspan reembed" in refused.stderr
    assert run_json("reembed", "--store", store, "--embedder", "hash:16")["dim"] == 16
    assert run_json("search", "ferry", "--store", store, "--user", "ana", "--embedder", "hash:16")["hits"]


def test_the_environment_converts_nothing(run, filled) -> None:
    assert "--embedder" in run("reembed", "--store", filled, code=2).stderr  # MEMSPAN_EMBEDDER is set


@pytest.mark.parametrize("name", ["no-such-model", "hash:0"])
def test_an_unknown_embedder_is_refused_before_anything_changes(run, filled, name) -> None:
    settings = inspect(filled).settings
    assert "accepted" in run("reembed", "--store", filled, "--embedder", name, code=2).stderr
    assert inspect(filled).settings == settings
