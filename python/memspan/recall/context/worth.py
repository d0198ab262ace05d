"""In which order memories are offered to a context."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final

from .budget import CHARACTERS_A_TOKEN, Budget
from .entry import Candidate

__all__ = ["by_worth"]

_AROUND: Final = 30
"""Characters that a line has besides its text: label, speaker, and its part of a date."""


def by_worth(candidates: Sequence[Candidate], budget: Budget) -> list[Candidate]:
    """The best of the search first, then by the evidence that is expected of a character (the greedy answer to the
    knapsack problem).

    Learned scores are logarithms of odds, up to what is the same for all of a search. So `exp(score) / characters` is
    proportional to it: two short turns may be worth more than the long one that ranks before them. Counted is what is
    shown of a text at most. A score is that of the place: what moved something (its kind, staleness) moved its odds.
    Stable. O(n log n); nothing is counted in tokens.
    """
    scores = sorted((each.recall.score for each in candidates), reverse=True)
    most = budget.whole * CHARACTERS_A_TOKEN

    def worth(placed: tuple[Candidate, float]) -> float:
        each, score = placed
        return score - log(min(len(each.text), most) + _AROUND)

    placed = list(zip(candidates, scores, strict=True))
    return [each for each, _ in (*placed[:1], *sorted(placed[1:], key=worth, reverse=True))]
