"""Understanding a question by rules: when, what kind, who and what. No language model, no network.

`plan_by_rules` puts it together into a `Plan`, the same object that a caller writes by hand or a model fills.
"""

from __future__ import annotations

from .kind_rules import KINDS_OF_QUESTION, KindName
from .kinds import QuestionKind, kind_of
from .names import FoundName, find_names
from .plan import Plan, ViewWeights
from .planner import plan_by_rules
from .times import FoundTime, find_times
from .vocabulary import Vocabulary

__all__ = [
    "KINDS_OF_QUESTION",
    "FoundName",
    "FoundTime",
    "KindName",
    "Plan",
    "QuestionKind",
    "ViewWeights",
    "Vocabulary",
    "find_names",
    "find_times",
    "kind_of",
    "plan_by_rules",
]
