"""Means with bootstrap intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimate", "estimate_means"]

_RESAMPLES: Final = 1000
_SEED: Final = 4
_AT_A_TIME: Final = 100
_LEVELS: Final = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions and its 95 % interval."""

    mean: float
    low: float
    high: float


def estimate_means(values: NDArray[np.floating[Any]]) -> list[Estimate]:
    """The mean of each column of `values` (questions x metrics, at least one row), with a percentile bootstrap
    interval over the rows.

    The same rows give the same intervals: the seed is fixed. All columns share their resamples. O(1,000 n m).
    """
    count = len(values)
    random = np.random.default_rng(_SEED)
    shares = np.full(count, 1 / count)
    # How often each row is drawn, instead of the rows drawn: resampled means are then one matrix product.
    means = np.concatenate(
        [
            random.multinomial(count, shares, size=_AT_A_TIME) @ values / count
            for _ in range(_RESAMPLES // _AT_A_TIME)
        ]
    )
    low, high = np.percentile(means, _LEVELS, axis=0)
    return [Estimate(*map(float, column)) for column in zip(values.mean(axis=0), low, high, strict=True)]
