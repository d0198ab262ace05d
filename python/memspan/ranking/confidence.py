"""Whether a question has an answer at all, from what the learned ranking sees of its best candidates."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_number, as_texts
from memspan.errors import FormatError, invalid

from .ranker import FEATURES
from .table_file import parse_table, read_table_bytes, write_table

__all__ = ["SIGNALS", "Confidence", "default_confidence", "signals_of"]

FORMAT_VERSION: Final = 1
_FORMAT: Final = "memspan confidence"
_LARGEST: Final = 1e4

_OF_BEST: Final = (
    "cosine", "cosine_z", "bm25_share", "coverage", "session_coverage", "named", "other_named", "with_before",
    "session_cosine",
)  # fmt: skip
_OF_FIVE: Final = ("cosine", "coverage", "named")
_SOME: Final = 5

SIGNALS: Final = (
    "lead",  # of the best score before the second
    "lead_of_five",  # and before the fifth
    "share",  # of the best one, if scores are log odds
    *(f"best_{name}" for name in _OF_BEST),
    *(f"five_{name}" for name in _OF_FIVE),  # means over the best five
)
"""What is looked at, of the best candidates."""


def signals_of(features: NDArray[np.float32], scores: NDArray[np.float32]) -> NDArray[np.float64]:
    """Shape (len(SIGNALS),): what tells whether the best candidates answer. At least one candidate."""
    order = np.argsort(-scores, kind="stable")[:_SOME]
    best, five = features[order[0]], features[order].mean(axis=0)
    shares = np.exp(scores - scores[order[0]])
    top = scores[order]
    return np.array(
        [
            float(top[0] - top[1]) if len(top) > 1 else 0.0,
            float(top[0] - top[-1]),
            1.0 / float(shares.sum()),
            *(float(best[FEATURES.index(name)]) for name in _OF_BEST),
            *(float(five[FEATURES.index(name)]) for name in _OF_FIVE),
        ]
    )


@dataclass(frozen=True, slots=True)
class Confidence:
    """A logistic regression over `SIGNALS`."""

    weights: tuple[float, ...]
    bias: float
    trained_on: tuple[str, ...] = ()
    """Where they come from, for people."""

    def __call__(self, signals: NDArray[np.float64]) -> float:
        """The probability that the memory holds an answer, 0-1, among questions as those that it was fitted to."""
        logit = float(np.dot(self.weights, signals)) + self.bias
        return float(1.0 / (1.0 + np.exp(-np.clip(logit, -50.0, 50.0))))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, with five decimals."""
        write_table(
            path,
            _FORMAT,
            FORMAT_VERSION,
            trained_on=list(self.trained_on),
            weights={name: round(value, 5) for name, value in zip(SIGNALS, self.weights, strict=True)},
            bias=round(self.bias, 5),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Confidence:
        """Read what `save` wrote.

        Raises:
            FormatError: it is something else, of another version, or lacks a signal or has one that is unknown.
            OSError: it cannot be read.
        """
        return _parse(read_table_bytes(path), str(path))


@cache
def default_confidence(*, tuned: bool = False) -> Confidence:
    """That of the package, for its ranker behind tuned questions or its other one; benches/confidence.py makes it."""
    name = "confidence-tuned.json" if tuned else "confidence.json"
    return _parse(files("memspan.ranking").joinpath(name).read_bytes(), name)


def _parse(raw: bytes, name: str) -> Confidence:
    document = parse_table(raw, name, _FORMAT, (FORMAT_VERSION,))
    try:
        weights: Any = document.get("weights")
        if not isinstance(weights, Mapping):
            raise invalid("weights", weights, "an object from signals to numbers")
        for odd in sorted(set(weights) - set(SIGNALS)):
            raise invalid("weights", odd, "the signals " + " | ".join(SIGNALS))
        for missing in sorted(set(SIGNALS) - set(weights)):
            raise invalid(f"weights[{missing}]", None, "a number for each signal")
        return Confidence(
            tuple(as_number(weights[name], f"weights[{name}]", -_LARGEST, _LARGEST) for name in SIGNALS),
            as_number(document.get("bias"), "bias", -_LARGEST, _LARGEST),
            tuple(as_texts(document.get("trained_on", ()), "trained_on")),
        )
    except (ValueError, OverflowError) as error:
        raise FormatError(f"{name}: {error}") from error
