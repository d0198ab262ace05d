"""Rerankers: a second look at the best records of a search, within a budget of time.

Importing this package loads no optional dependency; `OnnxReranker` is loaded when it is first named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memspan.base.lazy_names import lazy_names
from memspan.embed.registry import DEFAULT_RERANKER, RERANKERS
from memspan.rerank.protocol import Reranker
from memspan.rerank.resolve import resolve_reranker

if TYPE_CHECKING:
    from memspan.rerank.onnx import OnnxReranker

__all__ = ["DEFAULT_RERANKER", "RERANKERS", "OnnxReranker", "Reranker", "resolve_reranker"]

_LAZY = {"OnnxReranker": "memspan.rerank.onnx"}

if not TYPE_CHECKING:
    __getattr__ = lazy_names(__name__, _LAZY)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
