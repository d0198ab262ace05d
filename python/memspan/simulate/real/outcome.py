"""What one condition came to on real conversations, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memspan.evaluate.intervals import Estimate, estimate_means

from .conversations import Conversation

__all__ = ["RealOutcome", "data_set_of"]


@dataclass(frozen=True, slots=True, eq=False)
class RealOutcome:
    """recall@10 of each question under one condition."""

    experiment: str
    name: str
    values: NDArray[np.float64]
    """NaN for questions that were not asked."""
    reference: bool = False
    """Whether the others of the experiment are compared with this one."""
    measured: Mapping[str, float] = field(default_factory=dict)
    """What else was measured, by name."""

    def mean(self, chosen: NDArray[np.bool_]) -> float:
        """Over the questions chosen."""
        return float(np.nanmean(self.values[chosen])) if np.isfinite(self.values[chosen]).any() else np.nan

    def asked(self, sets: NDArray[np.str_]) -> list[str]:
        """The data sets, of those of the questions, that were asked at all."""
        return list(dict.fromkeys(sets[np.isfinite(self.values)].tolist()))

    def against(self, other: RealOutcome, chosen: NDArray[np.bool_]) -> Estimate:
        """The mean difference from another condition on the same questions, with its paired bootstrap interval;
        the same in whatever order the conversations come."""
        both = chosen & np.isfinite(self.values) & np.isfinite(other.values)
        # Sorted, so that the draws do not depend on the order of the files.
        return estimate_means(np.sort(self.values[both] - other.values[both])[:, None])[0]


def data_set_of(conversations: Sequence[Conversation]) -> NDArray[np.str_]:
    """The data set of each question, in the order of `RealOutcome.values`."""
    return np.array([conversation.data_set for conversation in conversations for _ in conversation.questions])
