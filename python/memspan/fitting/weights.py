"""Learn the weights of the ranking from questions with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_number
from memspan.errors import invalid, missing_extra
from memspan.ranking.ranker import CONDITIONS, FEATURES, Ranker

from .examples import Example
from .listwise import Lists

__all__ = ["DEFAULT_PENALTY", "DEFAULT_SPECIAL_PENALTY", "fit", "fit_weights"]

DEFAULT_PENALTY: Final = 30.0
DEFAULT_SPECIAL_PENALTY: Final = 15.0
"""Of what a condition adds."""

_ROUNDS: Final = 80

_PRIORS: Final = {"tagged": 0.5}
"""Weights of features that no example has, set by hand: whoever gives tags wants them to lift."""

Matrix = NDArray[np.float32]


def fit(
    examples: Sequence[Example],
    *,
    penalty: float = DEFAULT_PENALTY,
    special_penalty: float = DEFAULT_SPECIAL_PENALTY,
    start: Ranker | None = None,
    trained_on: Sequence[str] = (),
) -> Ranker:
    """Weights that put the evidence of these questions above their other candidates.

    A softmax regression over each question's candidates (`Lists` says what the loss is). Features are scaled to unit
    deviation first; the penalties are on the scaled weights. Deterministic. O(candidates x features) for each of
    up to 80 rounds of L-BFGS.

    Args:
        examples: as `collect` gives them; those without evidence among their candidates are left out.
        penalty: half of it times the squared weights is added to the loss.
        special_penalty: the same for what conditions add.
        start: whose weights are moved, instead of 0: the penalties are then on how far they move. Its net and adapter
            stay as they are, and so do weights of features that the examples say nothing about.
        trained_on: a note for people.

    Raises:
        InvalidArgumentError: no example can be learned from, or a penalty is out of range.
        MissingExtraError: SciPy is not installed.
    """
    if start is None:
        weights = fit_weights(examples, FEATURES, penalty=penalty, special_penalty=special_penalty)
        return Ranker(weights, trained_on=trained_on)
    moved, _ = _learned(examples, penalty, special_penalty, start)
    weights = _named(moved + _table_of(start), FEATURES)
    return Ranker(weights, adapter=start.adapter, net=start.net, trained_on=trained_on)


def fit_weights(
    examples: Sequence[Example],
    features: Sequence[str],
    *,
    penalty: float = DEFAULT_PENALTY,
    special_penalty: float = DEFAULT_SPECIAL_PENALTY,
) -> dict[str, dict[str, float]]:
    """As `fit` from 0, of examples whose columns are these features, those of a ranking among them: the weights by
    condition and feature.

    Raises:
        InvalidArgumentError, MissingExtraError: see `fit`.
    """
    found, unseen = _learned(examples, penalty, special_penalty)
    for feature, weight in _PRIORS.items():
        place = list(features).index(feature)
        if unseen[place]:
            found[0, place] = weight
    return _named(found, features)


def _learned(
    examples: Sequence[Example], penalty: float, special_penalty: float, start: Ranker | None = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The weights, or how far they move from `start`, (1 + conditions, features), and which features never vary."""
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise missing_extra("scipy", "memspan fit", "fit") from error
    as_number(penalty, "penalty", 1e-6, 1e9)
    as_number(special_penalty, "special_penalty", 1e-6, 1e9)
    usable = [each for each in examples if each.relevant.any()]
    if not usable:
        raise invalid("examples", f"{len(examples)} questions", "one with evidence among its candidates")
    problem = _Problem.of(usable, penalty, special_penalty, start)
    still = np.zeros((1 + len(CONDITIONS)) * len(problem.deviations))
    found = minimize(problem.loss, still, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
    weights = found.x.reshape(1 + len(CONDITIONS), -1) / problem.deviations
    return weights, np.isinf(problem.deviations)


_ROWS: Final = ("always", *CONDITIONS)


def _named(weights: NDArray[np.float64], features: Sequence[str]) -> dict[str, dict[str, float]]:
    return {
        name: dict(zip(features, map(float, row), strict=True))
        for name, row in zip(_ROWS, weights, strict=True)
    }


def _table_of(ranker: Ranker) -> NDArray[np.float64]:
    table = ranker.weights
    return np.array([[table.get(name, {}).get(feature, 0.0) for feature in FEATURES] for name in _ROWS])


@dataclass(frozen=True, slots=True)
class _Problem:
    """All candidates of all questions, one below the other."""

    rows: Matrix  # (n, features), scaled
    deviations: NDArray[np.float64]  # of the features
    lists: Lists
    held: Matrix  # (n, 1 + conditions): what holds for the question of each row
    penalties: NDArray[np.float64]  # (1 + conditions, 1)
    begun: Matrix | None = None  # (n,): scores that the weights add to

    @classmethod
    def of(
        cls, examples: Sequence[Example], penalty: float, special_penalty: float, start: Ranker | None = None
    ) -> _Problem:
        rows = np.concatenate([each.features for each in examples]).astype(np.float32)
        deviations = rows.std(axis=0, dtype=np.float64) + 1e-6
        rows = ((rows - rows.mean(axis=0, dtype=np.float64)) / deviations).astype(np.float32)
        rows[:, deviations < 1e-5] = 0.0
        lists = Lists.of([each.relevant for each in examples])
        held = np.zeros((len(examples), 1 + len(CONDITIONS)), np.float32)
        held[:, 0] = 1.0
        for place, each in enumerate(examples):
            held[place, [1 + CONDITIONS.index(name) for name in each.conditions]] = 1.0
        return cls(
            rows=rows,
            deviations=np.where(deviations < 1e-5, np.inf, deviations),
            lists=lists,
            held=held[lists.question],
            penalties=np.array([[penalty], *[[special_penalty]] * len(CONDITIONS)]),
            begun=None if start is None else np.concatenate([scores_of(start, each) for each in examples]),
        )

    def loss(self, flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """The loss and its gradient."""
        weights = flat.reshape(len(self.penalties), -1)
        # Rows x conditions is a third of rows x features.
        scores = (self.rows @ weights.T.astype(np.float32) * self.held).sum(axis=1)
        if self.begun is not None:
            scores += self.begun
        loss, slope = self.lists.loss(scores)
        gradient = (self.held * slope[:, None]).T @ self.rows
        gradient = gradient.astype(np.float64) + self.penalties * weights
        return loss + float((self.penalties * weights**2).sum()) / 2, gradient.ravel()


def scores_of(ranker: Ranker, example: Example) -> Matrix:
    """What the ranker gives each candidate; the same as the native core's, up to rounding."""
    return ranker.scores(example.features, example.conditions)
