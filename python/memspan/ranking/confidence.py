"""Whether a question has an answer at all, from what the learned ranking sees of its best candidates."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .ranker import FEATURES

__all__ = ["SIGNALS", "Confidence", "default_confidence", "signals_of"]

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

    def __call__(self, signals: NDArray[np.float64]) -> float:
        """The probability that the memory holds an answer, 0-1, among questions as those that it was fitted to."""
        logit = float(np.dot(self.weights, signals)) + self.bias
        return float(1.0 / (1.0 + np.exp(-np.clip(logit, -50.0, 50.0))))


@cache
def default_confidence(*, tuned: bool = False) -> Confidence:
    """That of the package, for its ranker behind tuned questions or its other one; benches/confidence.py makes it."""
    name = "confidence-tuned.json" if tuned else "confidence.json"
    document = json.loads(files("memspan.ranking").joinpath(name).read_bytes())
    return Confidence(tuple(document["weights"][name] for name in SIGNALS), document["bias"])
