"""The learned ranking: a table of weights, the questions it was learned from, and how to learn another one.

The native core turns each candidate into a row of features and adds them up (Fusion `learned`); which weights are
used depends on what kind of question it is.
"""

from __future__ import annotations

from .adapter import QueryAdapter
from .ranker import CONDITIONS, FEATURES, Condition, Ranker, Ranking, default_ranker
from .selection import Selection

__all__ = [
    "CONDITIONS",
    "FEATURES",
    "Condition",
    "QueryAdapter",
    "Ranker",
    "Ranking",
    "Selection",
    "default_ranker",
]
