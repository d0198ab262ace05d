"""Whether searches by a ranker of one's own are better than others on questions that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.errors import invalid
from memspan.evaluate.intervals import Estimate, estimate_means

from .cross_validation import DEPTHS, figures_of, mean_of
from .labelled_store import OwnQuestion

if TYPE_CHECKING:
    from memspan.memory import Memory

__all__ = ["FEWEST_TOLD", "Difference", "Finding", "compared", "figures_found"]

Finding: TypeAlias = Literal[
    "better", "no difference that can be shown", "worse", "too few questions to tell"
]

FEWEST_TOLD: Final = 20
"""Questions below which nothing is said: a bootstrap of fewer gives intervals that are too narrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What one way to search does better than another, question by question."""

    questions: int
    figures: dict[str, Estimate]
    """`R@k` and `MRR`, after minus before, with 95 % intervals; from -1 to 1."""
    finding: Finding
    """By the interval of the MRR alone: of six figures one would too often differ by chance."""


def figures_found(
    memory: Memory, questions: Sequence[OwnQuestion], options: Sequence[Mapping[str, Any]]
) -> NDArray[np.float64]:
    """The figures of each question by what `Memory.search` finds, the look at tokens included where there is one.

    Nothing counts as a use of what is found.

    Args:
        options: of each question's search, such as its own `ranker`; none are the package's weights.

    Returns:
        A row for each, as `figures_of` gives them; evidence behind the deepest of `DEPTHS` is not found.
    """
    return np.array(
        [
            _figures_found(memory, own, **own_options)
            for own, own_options in zip(questions, options, strict=True)
        ]
    )


def _figures_found(memory: Memory, own: OwnQuestion, **options: Any) -> list[float]:
    asked = own.question
    found = memory.search(asked.text, user=asked.user, now=asked.now, k=max(DEPTHS), track=False, **options)
    ranks = [rank for rank, each in enumerate(found, 1) if each.id in asked.evidence]
    return figures_of(np.array(ranks, np.int64), len(asked.evidence))


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
