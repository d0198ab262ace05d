"""From what a user passes as `reranker` to a reranker."""

from __future__ import annotations

from inspect import getattr_static
from typing import cast

from memspan.embed.registry import DEFAULT_RERANKER, RERANKERS
from memspan.errors import invalid
from memspan.rerank.protocol import Reranker

__all__ = ["resolve_reranker"]

_MEMBERS = ("name", "score")


def resolve_reranker(spec: Reranker | str | None = None) -> Reranker:
    """Turn `spec` into a reranker. No network access; model files are read at the first scoring.

    Args:
        spec: None for the default reranker, the name of a known one, or a reranker (returned as it is).

    Raises:
        InvalidArgumentError: an unknown name, or an object that is none of these.
        ModelNotFoundError: a known reranker that is not on this machine; names the command that gets it.
        MissingExtraError: a known reranker, but the packages that run it are not installed.
    """
    if spec is None:
        return _known(DEFAULT_RERANKER)
    if isinstance(spec, str):
        if spec in RERANKERS:
            return _known(spec)
    elif not isinstance(spec, type) and _is_reranker(spec):
        return spec
    raise invalid("reranker", spec, f"one of {', '.join(sorted(RERANKERS))}; a reranker; or None")


def _known(name: str) -> Reranker:
    from memspan.rerank.onnx import OnnxReranker

    return cast(Reranker, OnnxReranker.from_registry(name))


def _is_reranker(value: object) -> bool:
    """Whether all members exist, without evaluating properties."""
    missing = object()
    return all(getattr_static(value, member, missing) is not missing for member in _MEMBERS)
