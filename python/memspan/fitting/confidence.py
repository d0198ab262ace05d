"""Learn to tell questions that a memory answers from those that it does not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memspan.errors import invalid, missing_extra
from memspan.ranking import Ranker
from memspan.ranking.confidence import Confidence, signals_of

from .examples import Example
from .weights import scores_of

__all__ = ["fit_confidence"]


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
