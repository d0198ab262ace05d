"""Learn the small net that stands beside the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_integer
from memspan.errors import missing_extra
from memspan.ranking import FEATURES, Ranker, RankingNet
from memspan.ranking.net import MOST, UNITS

from .examples import Example
from .listwise import Lists
from .weights import scores_of

__all__ = ["FEWEST", "fit_net"]

FEWEST: Final = 300
"""Questions that a net is learned from; nets of fewer were not measured (of REALTALK's 369 alone they help LoCoMo)."""

_BEST: Final = 100
_NETS: Final = 4
_OWN_UNITS: Final = UNITS // _NETS
_HALF: Final = 0.5
_PENALTY: Final = 3.0
_ROUNDS: Final = 60

Matrix = NDArray[np.float32]


def fit_net(examples: Sequence[Example], ranker: Ranker, *, seed: int = 0) -> RankingNet | None:
    """What lifts the evidence of these questions further above their other candidates than the ranker's weights do.

    Four nets of 8 units start from different random numbers and learn, by the loss of `Lists` over the best 100 of
    each question, what to add to the ranker's scores; the net that comes back is half of their mean: alone each says
    too much of what it saw, and where they differ it was chance. Questions about conversations with an assistant
    (condition `roles`) are left out: for them nets lost more than they gained. Deterministic.
    O(100 x questions x features x units) for each of up to 60 rounds of L-BFGS.

    Args:
        examples: as `collect` gives them.
        ranker: its weights; a net that it has is left out.
        seed: of the random numbers that the nets start from.

    Returns:
        The net, or `None`: of fewer than 300 questions nothing is learned.

    Raises:
        InvalidArgumentError: the seed is no integer from 0 to 2^31.
        MissingExtraError: SciPy is not installed.
    """
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise missing_extra("scipy", "memspan fit", "fit") from error
    as_integer(seed, "seed", 0, 1 << 31)
    plain = Ranker(ranker.weights)
    usable = [_best_of(each, plain) for each in examples if "roles" not in each.conditions]
    usable = [each for each in usable if each[0].relevant.any()]
    if len(usable) < FEWEST:
        return None
    problem = _Problem.of([each for each, _ in usable], [scores for _, scores in usable])
    nets = []
    for own in range(_NETS):
        start = problem.start(np.random.default_rng([seed, own]))
        found = minimize(problem.loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}).x
        nets.append(problem.parts(found))
    weights = np.concatenate([weights for weights, _ in nets], axis=1)
    return RankingNet(
        mean=problem.mean,
        scale=problem.scale,
        weights=weights[:-1],
        bias=weights[-1],
        out=np.concatenate([out for _, out in nets]) * (_HALF / _NETS),
    )


def _best_of(example: Example, ranker: Ranker) -> tuple[Example, Matrix]:
    """Only the best candidates, and their scores."""
    scores = scores_of(ranker, example)
    best = np.argsort(-scores, kind="stable")[:_BEST]
    return replace(example, features=example.features[best], relevant=example.relevant[best]), scores[best]


@dataclass(frozen=True, slots=True)
class _Problem:
    """All candidates of all questions, one below the other."""

    mean: NDArray[np.float64]  # of the features
    scale: NDArray[np.float64]
    rows: Matrix  # (n, features + 1): scaled, and a 1 for the bias
    scores: NDArray[np.float64]  # that the net adds to
    lists: Lists

    @classmethod
    def of(cls, examples: Sequence[Example], scores: Sequence[Matrix]) -> _Problem:
        rows = np.concatenate([each.features for each in examples])
        mean = rows.mean(axis=0, dtype=np.float64)
        deviation = rows.std(axis=0, dtype=np.float64)
        scale = np.where(deviation < 1e-5, 0.0, 1.0 / np.maximum(deviation, 1e-5))
        scaled = np.clip((rows - mean) * scale, -MOST, MOST)
        return cls(
            mean=mean,
            scale=scale,
            rows=np.concatenate([scaled, np.ones((len(rows), 1))], axis=1).astype(np.float32),
            scores=np.concatenate(scores).astype(np.float64),
            lists=Lists.of([each.relevant for each in examples]),
        )

    def start(self, random: np.random.Generator) -> NDArray[np.float64]:
        weights = random.normal(size=(1 + len(FEATURES), _OWN_UNITS)) * 0.15
        return np.concatenate([weights.ravel(), random.normal(size=_OWN_UNITS) * 0.1])

    def parts(self, flat: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The weights, with the bias as their last row, and what comes out of each unit."""
        return flat[:-_OWN_UNITS].reshape(-1, _OWN_UNITS), flat[-_OWN_UNITS:]

    def loss(self, flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """The loss and its gradient."""
        weights, out = self.parts(flat)
        sums = self.rows @ weights.astype(self.rows.dtype)
        narrow = 1.0 / np.sqrt(1.0 + sums * sums)
        units = sums * narrow
        loss, slope = self.lists.loss(self.scores + units @ out)
        # The derivative of s / sqrt(1 + s^2) is 1 / sqrt(1 + s^2)^3.
        slopes = slope[:, None] * out.astype(self.rows.dtype) * narrow**3
        gradient = np.concatenate([(self.rows.T @ slopes).ravel(), units.T @ slope])
        return loss + _PENALTY / 2 * float(flat @ flat), gradient + _PENALTY * flat
