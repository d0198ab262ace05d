"""From what a user passes as `embedder` to an embedder."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from memspan.base.members import has_members
from memspan.embed.callables import CallableEmbedder
from memspan.embed.hashing import HashEmbedder
from memspan.embed.protocol import Embedder
from memspan.embed.registry import DEFAULT_MODEL, MODELS
from memspan.errors import invalid

__all__ = ["resolve_embedder"]

_HASH = re.compile(r"hash(?::([0-9]{1,4}))?", re.ASCII)
_MEMBERS = ("name", "dim", "checksum", "embed_documents", "embed_query")


def resolve_embedder(spec: Embedder | Callable[[list[str]], Any] | str | None = None) -> Embedder:
    """Turn `spec` into an embedder. No network access; model files are read at the first embedding.

    Args:
        spec: None for the default model, the name of a known model, `"hash"` or `"hash:DIM"` for
            `HashEmbedder`, an embedder (returned as it is), or a function `list[str] -> (n, dim)`, which is
            called once to learn its dimension.

    Raises:
        InvalidArgumentError: an unknown name, or an object that is none of these.
        ModelNotFoundError: a known model that is not on this machine; names the command that gets it.
        MissingExtraError: a known model, but the packages that run it are not installed.
        EmbedderError: a function that failed or returned something else than vectors.
    """
    if spec is None:
        return _known(DEFAULT_MODEL)
    if isinstance(spec, str):
        if match := _HASH.fullmatch(spec):
            return HashEmbedder(int(match[1])) if match[1] else HashEmbedder()
        if spec in MODELS:
            return _known(spec)
    elif has_members(spec, _MEMBERS):
        return cast(Embedder, spec)
    elif callable(spec) and not isinstance(spec, type):
        return CallableEmbedder(spec)
    accepted: Sequence[str] = (*sorted(MODELS), "hash", "hash:DIM")
    raise invalid("embedder", spec, f"one of {', '.join(accepted)}; an embedder; a function; or None")


def _known(name: str) -> Embedder:
    from memspan.embed.onnx import OnnxEmbedder

    return OnnxEmbedder.from_registry(name)
