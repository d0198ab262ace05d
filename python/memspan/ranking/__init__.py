"""The learned ranking: a table of weights with a small net, and the questions that it was learned from.

The native core turns each candidate into a row of features, adds them up, and adds what the net answers (Fusion
`learned`); which weights are used depends on what kind of question it is.
"""

from __future__ import annotations

from .adapter import QueryAdapter
from .net import RankingNet
from .ranker import CONDITIONS, FEATURES, Condition, Ranker, Ranking, default_ranker, has_tuned_questions
from .selection import Selection

__all__ = [
    "CONDITIONS",
    "FEATURES",
    "Condition",
    "QueryAdapter",
    "Ranker",
    "Ranking",
    "RankingNet",
    "Selection",
    "default_ranker",
    "has_tuned_questions",
]
