"""The adapter of questions: what it computes, how it is kept, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import errors
from memspan.embed import HashEmbedder
from memspan.memory import Memory
from memspan.ranking import QueryAdapter, Ranker


def adapter(dim: int = 6, rank: int = 2, seed: int = 0) -> QueryAdapter:
    rng = np.random.default_rng(seed)
    up, down = rng.normal(size=(2, dim, rank)).astype(np.float32)
    return QueryAdapter(embedder="made-up", checksum="abc", up=up, down=down)


def test_it_adds_a_step_and_scales_to_unit_length() -> None:
    up = np.array([[1.0], [0.0], [2.0]], np.float32)
    down = np.array([[0.5], [0.0], [0.0]], np.float32)
    moved = QueryAdapter(embedder="e", checksum="c", up=up, down=down)(np.array([1.0, 1.0, 0.0], np.float32))
    # q + U (Vᵀ q) = (1, 1, 0) + 0.5 (1, 0, 2)
    np.testing.assert_allclose(moved, np.array([1.5, 1.0, 1.0]) / np.sqrt(1.5**2 + 2.0), rtol=1e-6)
    assert moved.dtype == np.float32


def test_a_vector_that_would_vanish_stays() -> None:
    up = -np.eye(3, dtype=np.float32)
    vector = np.array([0.0, 1.0, 0.0], np.float32)
    vanishing = QueryAdapter(embedder="e", checksum="c", up=up, down=np.eye(3, dtype=np.float32))
    np.testing.assert_array_equal(vanishing(vector), vector)


def test_its_matrices_are_its_own() -> None:
    up = np.ones((4, 2), np.float32)
    one = QueryAdapter(embedder="e", checksum="c", up=up, down=up)
    vector = np.array([1.0, 0.0, 0.0, 0.0], np.float32)
    before = one(vector)
    up[:] = 0.0
    np.testing.assert_array_equal(one(vector), before)


def test_it_survives_json_up_to_16_bits() -> None:
    one = adapter()
    read = QueryAdapter.from_dict(json.loads(json.dumps(one.to_dict())))
    assert (read.embedder, read.checksum, read.dim) == ("made-up", "abc", 6)
    vector = np.random.default_rng(3).normal(size=6).astype(np.float32)
    np.testing.assert_allclose(read(vector), one(vector), atol=2e-3)
    assert read.to_dict() == one.to_dict()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"dim": 0}, "adapter.dim"),
        ({"dim": True}, "adapter.dim"),
        ({"dim": 1 << 40}, "adapter.dim"),
        ({"embedder": 3}, "adapter.embedder"),
        ({"checksum": None}, "adapter.checksum"),
        ({"up": "§"}, "adapter.up"),
        ({"up": ""}, "adapter.up"),
        ({"down": "AAAA"}, "adapter.down"),
        ({"down": "AAAAAAAAAAAAAAAA"}, "down"),  # rank 1 beside rank 2
        ({"up": "/////////////////////w=="}, "up"),  # NaN
    ],
)
def test_broken_json_is_refused_by_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=named.replace(".", r"\.")):
        QueryAdapter.from_dict({**adapter().to_dict(), **change})


@pytest.mark.parametrize("value", [None, [], "x", 5])
def test_what_is_no_object_is_refused(value: object) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="adapter"):
        QueryAdapter.from_dict(value)


def test_odd_matrices_are_refused() -> None:
    good = np.ones((4, 2), np.float32)
    for bad in (np.ones(4), np.ones((4, 0)), np.ones((4, 300)), np.full((4, 2), np.inf)):
        with pytest.raises(errors.InvalidArgumentError, match="up"):
            QueryAdapter(embedder="e", checksum="c", up=bad.astype(np.float32), down=good)
    with pytest.raises(errors.InvalidArgumentError, match="down"):
        QueryAdapter(embedder="e", checksum="c", up=good, down=np.ones((5, 2), np.float32))


def test_a_ranker_keeps_its_adapter_on_disk(tmp_path: Path) -> None:
    ranker = Ranker({"always": {"cosine_z": 1.0}}, adapter=adapter(), trained_on=["made up"])
    ranker.save(tmp_path / "r.json")
    read = Ranker.load(tmp_path / "r.json")
    assert read.adapter is not None
    assert read.adapter.to_dict() == adapter().to_dict()
    assert read.weights == ranker.weights


def test_an_adapter_is_only_for_its_embedder() -> None:
    ranker = Ranker({}, adapter=adapter())
    assert ranker.adapter_for("made-up", "abc") is ranker.adapter
    assert ranker.adapter_for("made-up", "abd") is None
    assert ranker.adapter_for("other", "abc") is None
    assert Ranker({}).adapter_for("made-up", "abc") is None
    with pytest.raises(errors.InvalidArgumentError, match="adapter"):
        Ranker({}, adapter="adapter")  # type: ignore[arg-type]


def test_a_broken_adapter_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    Ranker({}, adapter=adapter()).save(path)
    document = json.loads(path.read_text())
    document["adapter"]["dim"] = -1
    path.write_text(json.dumps(document))
    with pytest.raises(errors.FormatError, match=r"r\.json: adapter\.dim"):
        Ranker.load(path)


def test_one_for_vectors_of_another_length_is_refused_by_name(tmp_path: Path) -> None:
    embedder = HashEmbedder(8)
    short = np.ones((6, 1), np.float32)
    other = QueryAdapter(embedder=embedder.name, checksum=embedder.checksum, up=short, down=short)
    with Memory(tmp_path / "m.memspan", embedder, token_embedder=False) as memory:
        memory.add("The boat is red.", user="ana")
        with pytest.raises(errors.InvalidArgumentError, match=r"^ranker: .*length 6.*length 8"):
            memory.search("boat", user="ana", ranker=Ranker({}, adapter=other))
