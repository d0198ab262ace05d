"""Embedders: what turns texts into vectors.

Importing this package loads no optional dependency; `OnnxEmbedder`, `OnnxTokenEmbedder` and `OpenAIEmbedder` are
loaded when they are first named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memspan.base.lazy_names import lazy_names
from memspan.embed.callables import CallableEmbedder
from memspan.embed.hashing import HashEmbedder
from memspan.embed.late.protocol import TokenEmbedder, validate_document_tokens, validate_query_tokens
from memspan.embed.late.resolve import resolve_token_embedder
from memspan.embed.models import ModelFiles, find_model, model_dir, pull_model, pull_models, verify_model
from memspan.embed.protocol import Embedder
from memspan.embed.registry import (
    DEFAULT_MODEL,
    DEFAULT_TOKEN_MODEL,
    MODELS,
    TOKEN_MODELS,
    EmbeddingSpec,
    ModelFile,
    ModelSpec,
    TokenModelSpec,
)
from memspan.embed.resolve import resolve_embedder

if TYPE_CHECKING:
    from memspan.embed.late.onnx import OnnxTokenEmbedder
    from memspan.embed.onnx import OnnxEmbedder
    from memspan.embed.openai import OpenAIEmbedder

__all__ = [
    "DEFAULT_MODEL",
    "DEFAULT_TOKEN_MODEL",
    "MODELS",
    "TOKEN_MODELS",
    "CallableEmbedder",
    "Embedder",
    "EmbeddingSpec",
    "HashEmbedder",
    "ModelFile",
    "ModelFiles",
    "ModelSpec",
    "OnnxEmbedder",
    "OnnxTokenEmbedder",
    "OpenAIEmbedder",
    "TokenEmbedder",
    "TokenModelSpec",
    "find_model",
    "model_dir",
    "pull_model",
    "pull_models",
    "resolve_embedder",
    "resolve_token_embedder",
    "validate_document_tokens",
    "validate_query_tokens",
    "verify_model",
]

_LAZY = {
    "OnnxEmbedder": "memspan.embed.onnx",
    "OnnxTokenEmbedder": "memspan.embed.late.onnx",
    "OpenAIEmbedder": "memspan.embed.openai",
}

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
