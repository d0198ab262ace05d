"""The tests of the paper's fourth experiment: one-way analysis of variance, and every pair (4.4; extra `simulate`)."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from memspan.errors import missing_extra

from .run import Outcome

__all__ = ["Anova", "Pair", "anova", "interval", "pairs", "require_scipy"]


@dataclass(frozen=True, slots=True)
class Anova:
    """One-way: do the conditions differ at all?"""

    f: float
    p: float


@dataclass(frozen=True, slots=True)
class Pair:
    """Two conditions: Welch's t-test over their trials' mean qualities."""

    first: str
    second: str
    difference: float
    """Of the means, first less second."""
    effect: float
    """Cohen's d: the difference in pooled standard deviations."""
    p: float
    corrected: float
    """p after Holm's correction over all pairs; the paper does not say whether it corrects."""


def require_scipy() -> Any:
    """`scipy.stats`.

    Raises:
        MissingExtraError: scipy is not installed; says which extra installs it.
    """
    try:
        return importlib.import_module("scipy.stats")
    except ImportError as error:
        raise missing_extra("scipy", "the analysis of a simulation", "simulate") from error


def anova(outcomes: Sequence[Outcome]) -> Anova:
    """Of the trials' mean qualities, at least two conditions."""
    found = require_scipy().f_oneway(*(outcome.scores for outcome in outcomes))
    return Anova(float(found.statistic), float(found.pvalue))


def pairs(outcomes: Sequence[Outcome]) -> list[Pair]:
    """Every two conditions, in order."""
    stats = require_scipy()
    found = []
    for one, other in combinations(outcomes, 2):
        first, second = one.scores, other.scores
        difference = float(first.mean() - second.mean())
        spread = float(np.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2))
        p = float(stats.ttest_ind(first, second, equal_var=False).pvalue)
        effect = difference / spread if spread else 0.0
        found.append((one.condition.name, other.condition.name, difference, effect, p))
    corrected = _holm([each[-1] for each in found])
    return [Pair(*each, q) for each, q in zip(found, corrected, strict=True)]


def interval(outcome: Outcome) -> tuple[float, float]:
    """The 95 % interval of a condition's mean quality over its trials, by Student's t."""
    scores = outcome.scores
    error = float(scores.std(ddof=1) / np.sqrt(len(scores)))
    half = float(require_scipy().t.ppf(0.975, len(scores) - 1)) * error
    mean = float(scores.mean())
    return mean - half, mean + half


def _holm(values: Sequence[float]) -> list[float]:
    """p-values of m tests, each times the number of those not smaller, ascending and at most 1."""
    order = sorted(range(len(values)), key=values.__getitem__)
    corrected = [0.0] * len(values)
    highest = 0.0
    for rank, position in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[position]))
        corrected[position] = highest
    return corrected
