"""Whether a ranker of one's own is better than another on questions that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.errors import invalid
from memspan.evaluate.intervals import Estimate, estimate_means
from memspan.ranking import Ranker

from .cross_validation import figures_of, mean_of, ranks_of
from .examples import Example
from .weights import scores_of

__all__ = ["FEWEST_TOLD", "Difference", "Finding", "compared", "figures_by"]

Finding: TypeAlias = Literal[
    "better", "no difference that can be shown", "worse", "too few questions to tell"
]

FEWEST_TOLD: Final = 20
"""Questions below which nothing is said: a bootstrap of fewer gives intervals that are too narrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What one ranker does better than another, question by question."""

    questions: int
    figures: dict[str, Estimate]
    """`R@k` and `MRR`, after minus before, with 95 % intervals; from -1 to 1."""
    finding: Finding
    """By the interval of the MRR alone: of six figures one would too often differ by chance."""


def figures_by(examples: Sequence[Example], rankers: Sequence[Ranker]) -> NDArray[np.float64]:
    """The figures of each example, ranked by its own ranker; a row for each, as `figures_of` gives them."""
    return np.array(
        [
            figures_of(ranks_of(example, scores_of(ranker, example)), example.evidence)
            for example, ranker in zip(examples, rankers, strict=True)
        ]
    )


def compared(before: NDArray[np.float64], after: NDArray[np.float64]) -> Difference:
    """What changed between the figures of the same questions.

    Raises:
        InvalidArgumentError: the shapes differ, or there are no questions.
    """
    if before.shape != after.shape or not len(before):
        raise invalid(
            "after", f"figures of shape {after.shape}", f"one or more rows, of shape {before.shape}"
        )
    differences = after - before
    estimates = estimate_means(differences)
    names = [*(f"R@{depth}" for depth in mean_of(after).recall), "MRR"]
    return Difference(
        questions=len(differences),
        figures=dict(zip(names, estimates, strict=True)),
        finding=_finding(len(differences), estimates[-1]),
    )


def _finding(questions: int, estimate: Estimate) -> Finding:
    if questions < FEWEST_TOLD:
        return "too few questions to tell"
    if estimate.low > 0:
        return "better"
    return "worse" if estimate.high < 0 else "no difference that can be shown"
