"""Averages over groups of questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .answers import Answered
from .contexts import CONTEXT_SCORES, context_scores
from .intervals import Estimate, estimate_means
from .metrics import Entry, all_at, hit_at, ndcg_at, recall_at, reciprocal_rank

__all__ = ["ALL", "Group", "group_of", "recall_curve", "turn_scores"]

ALL = "all"
"""The name of the group of all questions."""

_AT = {"recall": recall_at, "all": all_at, "hit": hit_at, "ndcg": ndcg_at}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """All questions, or those of one category."""

    name: str
    questions: int
    """How many were asked."""
    scored: int
    """How many of them the averages are over."""
    unanswerable: int
    unlabelled: int
    """Answerable ones whose labels name nothing that exists."""
    scores: Mapping[str, Estimate]
    """`recall@k`, `all@k`, `hit@k`, `ndcg@k` for each k, and `mrr`; empty when nothing is scored."""
    session_scored: int
    """How many questions name a session."""
    session_hits: Mapping[str, Estimate]
    """`hit@k` of sessions, to compare with other reports only."""
    context: Mapping[str, Estimate] = field(default_factory=dict)
    """`tokens`, `recall`, `all` and `named` of contexts over the scored questions (see `CONTEXT_SCORES`); empty
    without contexts."""


def group_of(name: str, answers: Sequence[Answered], ks: Sequence[int]) -> Group:
    """Score the questions of one group."""
    scored = [each for each in answers if each.scored]
    unanswerable = sum(not each.question.answerable for each in answers)
    in_sessions = [each for each in answers if each.question.answerable and each.question.sessions]
    return Group(
        name=name,
        questions=len(answers),
        scored=len(scored),
        unanswerable=unanswerable,
        unlabelled=len(answers) - unanswerable - len(scored),
        scores=_estimates(scored, _turn_scores(ks)),
        session_scored=len(in_sessions),
        session_hits=_estimates(in_sessions, {f"hit@{k}": _session_hit(k) for k in ks}),
        context=_of_contexts(scored),
    )


Score = Callable[[Answered], float]


def _turn_scores(ks: Sequence[int]) -> dict[str, Score]:
    scores = {f"{name}@{k}": _at(metric, k) for name, metric in _AT.items() for k in ks}
    return {**scores, "mrr": lambda each: reciprocal_rank(each.relevant, each.ranked)}


def _at(metric: Callable[[Set[str], Sequence[Entry], int], float], k: int) -> Score:
    return lambda each: metric(each.relevant, each.ranked, k)


def _session_hit(k: int) -> Score:
    return lambda each: hit_at(each.question.sessions, each.sessions, k)


def turn_scores(answers: Sequence[Answered], ks: Sequence[int]) -> tuple[list[str], NDArray[np.float64]]:
    """The names of `Group.scores`, and their values for each of these questions (questions x names)."""
    scores = _turn_scores(ks)
    return list(scores), _values(answers, scores)


def _values(answers: Sequence[Answered], scores: Mapping[str, Score]) -> NDArray[np.float64]:
    rows = [[score(each) for score in scores.values()] for each in answers]
    return np.array(rows, np.float64).reshape(len(answers), len(scores))


def _estimates(answers: Sequence[Answered], scores: Mapping[str, Score]) -> dict[str, Estimate]:
    if not answers:
        return {}
    return dict(zip(scores, estimate_means(_values(answers, scores)), strict=True))


def _of_contexts(answers: Sequence[Answered]) -> dict[str, Estimate]:
    found = [context_scores(each.context, each.relevant) for each in answers if each.context is not None]
    if not found:
        return {}
    values = np.array([[each[name] for name in CONTEXT_SCORES] for each in found], np.float64)
    return dict(zip(CONTEXT_SCORES, estimate_means(values), strict=True))


def recall_curve(answers: Sequence[Answered], depth: int) -> list[float]:
    """Mean recall at every k from 1 to `depth`; empty when nothing is scored."""
    scored = [each for each in answers if each.scored]
    if not scored:
        return []
    gains = np.zeros(depth)
    for each in scored:
        for rank in each.ranks.values():
            if rank is not None and rank <= depth:
                gains[rank - 1] += 1 / len(each.relevant)
    return [float(value) for value in np.cumsum(gains) / len(scored)]
