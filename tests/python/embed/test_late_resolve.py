from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memspan.embed import (
    DEFAULT_MODEL,
    DEFAULT_TOKEN_MODEL,
    TOKEN_MODELS,
    HashEmbedder,
    resolve_token_embedder,
)
from memspan.errors import InvalidArgumentError, MissingExtraError, ModelNotFoundError


def test_a_token_embedder_is_returned_as_it_is_and_not_touched() -> None:
    class Lazy:
        name = "lazy"
        checksum = ""

        @property
        def dim(self) -> int:
            raise AssertionError("evaluated")

        def embed_documents(self, texts: Any) -> Any: ...
        def embed_query(self, text: str) -> Any: ...

    lazy = Lazy()
    assert resolve_token_embedder(lazy) is lazy


@pytest.mark.parametrize("spec", [None, *TOKEN_MODELS])
def test_a_known_model_that_is_missing_names_the_command(
    spec: str | None, models_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    monkeypatch.setattr("memspan.embed.models._installed", lambda spec: None)
    with pytest.raises(ModelNotFoundError, match=f"memspan models pull {DEFAULT_TOKEN_MODEL}") as caught:
        resolve_token_embedder(spec)
    assert str(models_folder) in str(caught.value)


def test_a_known_model_without_its_packages_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.embed.onnx_graph.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"memspan\[onnx\]"):
        resolve_token_embedder(None)


@pytest.mark.parametrize("spec", ["", "hash", DEFAULT_MODEL, "../x", 7, object(), HashEmbedder, [1], len])
def test_anything_else_lists_what_is_known(spec: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^token_embedder: got .*{DEFAULT_TOKEN_MODEL}"):
        resolve_token_embedder(spec)
