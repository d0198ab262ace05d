"""From what a user passes as `reranker` to a reranker."""

from __future__ import annotations

from typing import cast

from memspan.base.members import has_members
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
    elif has_members(spec, _MEMBERS):
        return spec
    raise invalid("reranker", spec, f"one of {', '.join(sorted(RERANKERS))}; a reranker; or None")


def _known(name: str) -> Reranker:
    from memspan.rerank.onnx import OnnxReranker

    return cast(Reranker, OnnxReranker.from_registry(name))
