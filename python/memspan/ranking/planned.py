"""What a plan makes of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from .groups import scales_of
from .late_ranker import LateRanker, LateWeights
from .ranker import Condition, Ranker, Ranking
from .selection import Selection

if TYPE_CHECKING:
    from memspan.recall import Plan

__all__ = ["SPREAD", "late_weights_for", "ranking_for", "scales_for", "selection_for"]

SPREAD: Final = 0.75
"""What a plan with `spread` takes off the score of a record right beside another one in time. On BEAM's 16 questions
for an order of events .7-2 change recall@10 by +3 to +7 points with weights from other conversations, by -2 to -4 with
those from other data sets."""


def ranking_for(plan: Plan, ranker: Ranker, conditions: Sequence[Condition], k: int) -> Ranking:
    """The ranking of the plan's question for `k` hits."""
    return ranker.ranking(
        conditions, plan.intervals or None, scales=scales_for(plan), selection=selection_for(plan, k)
    )


def late_weights_for(
    plan: Plan, ranker: Ranker, late_ranker: LateRanker, conditions: Sequence[Condition]
) -> LateWeights:
    """How what tokens say counts, for the hits of `ranking_for`."""
    scales = scales_for(plan)

    def base(features: NDArray[np.float32]) -> NDArray[np.float32]:
        if scales is None:
            return ranker.scores(features, conditions)
        return np.asarray(features @ (ranker.row(conditions) * scales))

    wanted = selection_for(plan, 1)
    lessened = wanted.diversity > 0 or wanted.spread > 0
    return LateWeights(
        late_ranker.row(conditions, scales, plan.weights.semantic), base=base if lessened else None
    )


def scales_for(plan: Plan) -> NDArray[np.float32] | None:
    """What the plan multiplies each feature's weight by; `None`: nothing changes."""
    weights = plan.weights
    return scales_of(
        semantic=weights.semantic,
        lexical=weights.lexical,
        symbolic=weights.symbolic,
        neighbours=plan.smoothing,
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
