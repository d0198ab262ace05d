from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan.embed import (
    DEFAULT_MODEL,
    MODELS,
    CallableEmbedder,
    HashEmbedder,
    resolve_embedder,
)
from memspan.errors import InvalidArgumentError, MissingExtraError, ModelNotFoundError


def test_hash_by_name() -> None:
    default, sized = resolve_embedder("hash"), resolve_embedder("hash:128")
    assert isinstance(default, HashEmbedder)
    assert isinstance(sized, HashEmbedder)
    assert (default.dim, sized.dim) == (64, 128)
    with pytest.raises(InvalidArgumentError, match="8192"):
        resolve_embedder("hash:9000")


def test_an_embedder_is_returned_as_it_is_and_not_touched() -> None:
    class Lazy:
        name = "lazy"
        checksum = ""

        @property
        def dim(self) -> int:
            raise AssertionError("evaluated")

        def embed_documents(self, texts: Any) -> Any: ...
        def embed_query(self, text: str) -> Any: ...
        def __call__(self, texts: list[str]) -> Any: ...

    lazy = Lazy()
    assert resolve_embedder(lazy) is lazy
    hashed = HashEmbedder()
    assert resolve_embedder(hashed) is hashed


def test_a_function_is_wrapped() -> None:
    embedder = resolve_embedder(lambda texts: np.ones((len(texts), 5)))
    assert isinstance(embedder, CallableEmbedder)
    assert embedder.dim == 5


@pytest.mark.parametrize("spec", [None, *MODELS])
def test_a_known_model_that_is_missing_names_the_command(
    spec: str | None, models_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    monkeypatch.setattr("memspan.embed.models._installed", lambda spec: None)
    # All that a memory needs by default: the token embedder comes along.
    with pytest.raises(ModelNotFoundError, match=r"get it with: memspan models pull \(") as caught:
        resolve_embedder(spec)
    assert str(models_folder) in str(caught.value)


def test_a_known_model_without_its_packages_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.embed.onnx_graph.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"memspan\[onnx\]"):
        resolve_embedder(None)


@pytest.mark.parametrize(
    "spec",
    ["", "hash:", "hash:x", "hash:-1", "hash:٣", "bge", "../bge-small", 7, object(), HashEmbedder, [1]],
)
def test_anything_else_lists_what_is_known(spec: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"embedder: got .*{DEFAULT_MODEL}, hash, hash:DIM"):
        resolve_embedder(spec)
