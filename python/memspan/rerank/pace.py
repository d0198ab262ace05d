"""How fast a reranker is on this machine, as it was measured, for keeping to a budget of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["Pace"]

# What a pair costs beside its characters, in characters: special tokens, and the start of a run.
_FIXED: Final = 48
# The share of a new measurement in the estimate.
_NEW: Final = 0.5
# Estimates are this much longer than what was measured: the clock on the wall also sees what else the machine does.
_CAUTION: Final = 1.15


class Pace:
    """Seconds a character, learnt from every batch. Threads may share one: a lost update does no harm."""

    def __init__(self) -> None:
        self._seconds_a_character: float | None = None

    def expected(self, question: str, passages: Sequence[str]) -> float:
        """Seconds that scoring these passages will take; 0 before anything was measured."""
        return _CAUTION * (self._seconds_a_character or 0.0) * _size(question, passages)

    def learn(self, question: str, passages: Sequence[str], seconds: float) -> None:
        """Take in how long a batch took."""
        measured = seconds / _size(question, passages)
        known = self._seconds_a_character
        self._seconds_a_character = measured if known is None else known + _NEW * (measured - known)


def _size(question: str, passages: Sequence[str]) -> int:
    return sum(map(len, passages)) + len(passages) * (len(question) + _FIXED)
