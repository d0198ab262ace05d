"""Rerankers made for tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


class ByFunction:
    """Scores each passage by a function; remembers what it was asked."""

    name = "by-function"

    def __init__(self, function: Callable[[str, str], Any] = lambda question, passage: 0.0) -> None:
        self.function = function
        self.calls: list[tuple[str, list[str]]] = []

    def score(self, question: str, passages: Sequence[str]) -> Any:
        self.calls.append((question, list(passages)))
        return np.array([self.function(question, passage) for passage in passages], dtype=np.float32)

    @property
    def seen(self) -> list[str]:
        return [passage for _, passages in self.calls for passage in passages]


class Clock:
    """A clock that moves only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now
