"""Whether a question has an answer at all, from what the learned ranking sees of its best candidates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.errors import invalid, missing_extra

from .examples import Example
from .fit import scores_of
from .ranker import FEATURES, Ranker

__all__ = ["SIGNALS", "Confidence", "default_confidence", "fit_confidence", "signals_of"]

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
def default_confidence(*, adapted: bool = False) -> Confidence:
    """That of the package, for the package's weights with or without an adapter (benches/confidence.py makes it)."""
    name = "confidence-adapted.json" if adapted else "confidence.json"
    document = json.loads(files("memspan.ranking").joinpath(name).read_bytes())
    return Confidence(tuple(document["weights"][name] for name in SIGNALS), document["bias"])


def fit_confidence(examples: Sequence[Example], ranker: Ranker, *, penalty: float = 10.0) -> Confidence:
    """Learn to tell questions with an answer (`Example.evidence` > 0) from those without, by logistic regression.

    Signals are scaled to unit deviation first; `penalty` is on the squares of the scaled weights. Both kinds count
    as often as they come, so that the result is calibrated for their mixture. Deterministic.

    Raises:
        InvalidArgumentError: there is only one kind of question.
        MissingExtraError: SciPy is not installed.
    """
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise missing_extra("scipy", "memspan fit", "fit") from error
    usable = [each for each in examples if len(each.features)]
    answered = np.array([each.evidence > 0 for each in usable], np.float64)
    if not 0 < answered.sum() < len(answered):
        raise invalid("examples", f"{len(usable)} questions", "some with an answer and some without")
    signals = np.array([signals_of(each.features, scores_of(ranker, each)) for each in usable])
    mean, deviation = signals.mean(axis=0), signals.std(axis=0) + 1e-9
    rows = np.concatenate([(signals - mean) / deviation, np.ones((len(usable), 1))], axis=1)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = rows @ weights
        shrunk = np.append(weights[:-1], 0.0)
        value = float(np.logaddexp(0.0, logits).sum() - answered @ logits + penalty / 2 * (shrunk @ shrunk))
        return value, rows.T @ (1.0 / (1.0 + np.exp(-logits)) - answered) + penalty * shrunk

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x
    weights = found[:-1] / deviation
    return Confidence(tuple(map(float, weights)), float(found[-1] - weights @ mean))
