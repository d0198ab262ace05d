"""What a plan makes of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from .groups import scales_of
from .ranker import Condition, Ranker, Ranking
from .selection import Selection

if TYPE_CHECKING:
    from memspan.recall import Plan

__all__ = ["SPREAD", "ranking_for", "selection_for"]

SPREAD: Final = 0.75
"""What a plan with `spread` takes off the score of a record right beside another one in time. On BEAM's 16 questions
for an order of events .7-2 change recall@10 by +3 to +7 points with weights from other conversations, by -2 to -4 with
those from other data sets."""


def ranking_for(plan: Plan, ranker: Ranker, conditions: Sequence[Condition], k: int) -> Ranking:
    """The ranking of the plan's question for `k` hits."""
    weights = plan.weights
    return ranker.ranking(
        conditions,
        plan.intervals or None,
        scales=scales_of(
            semantic=weights.semantic,
            lexical=weights.lexical,
            symbolic=weights.symbolic,
            neighbours=plan.smoothing,
        ),
        selection=selection_for(plan, k),
    )


def selection_for(plan: Plan, k: int) -> Selection:
    """With fewer hits than the plan is for, fewer sessions in proportion: the last places are theirs."""
    sessions = min(plan.sessions, -(-plan.sessions * k // plan.k))
    return Selection(
        distinct=plan.distinct,
        sessions=sessions,
        diversity=plan.diversity,
        spread=SPREAD if plan.spread else 0.0,
    )
