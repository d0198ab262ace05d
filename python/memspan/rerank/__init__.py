"""Rerankers: a second look at the best records of a search, within a budget of time.

Importing this package loads no optional dependency; `OnnxReranker` is loaded when it is first named.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memspan.embed.registry import DEFAULT_RERANKER, RERANKERS
from memspan.rerank.protocol import Reranker
from memspan.rerank.resolve import resolve_reranker

if TYPE_CHECKING:
    from memspan.rerank.onnx import OnnxReranker

__all__ = ["DEFAULT_RERANKER", "RERANKERS", "OnnxReranker", "Reranker", "resolve_reranker"]


if not TYPE_CHECKING:  # for a checker, every name would be there

    def __getattr__(name: str) -> Any:
        if name == "OnnxReranker":
            return import_module("memspan.rerank.onnx").OnnxReranker
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
