"""Averages over answers, by category, micro and macro."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from memspan.evaluate.intervals import Estimate, estimate_means

from .asking import AnsweredBy
from .bleu import bleu_1
from .locomo_f1 import NOT_MENTIONED, locomo_f1, stemmed_f1
from .set_f1 import exact_match, set_f1

__all__ = ["MEASURES", "AnswerGroup", "grade", "macro_of", "refused", "scores_of"]

MEASURES: Final = ("f1", "set_f1", "bleu_1", "exact", "judge")
"""`f1` is LoCoMo's own, with its rules by category, for LoCoMo, and its stemmed F1 without them for other data sets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGroup:
    """All questions, or those of one category."""

    name: str
    questions: int
    failed: int
    """Without an answer, because the reader failed; in no average."""
    unanswerable: int
    """Those of them that are asked for nothing that was said, and were answered."""
    refused: Estimate | None
    """The share of these of which the reader said so: "adversarial success"; `None` without any."""
    without_gold: int
    """Answered ones for which the labels give no answer; in no average."""
    scored: int
    """How many the word measures are over: answerable, answered, with a gold answer."""
    judged: int
    """How many `judge` is over."""
    judge_failed: int
    scores: Mapping[str, Estimate]
    """Micro averages by the names of `MEASURES`; without those that nothing was measured for."""


def refused(answer: AnsweredBy) -> bool:
    """Whether the reader said that the memory holds no answer: by its field, or in LoCoMo's words for it."""
    said = answer.text.lower()
    return not answer.enough or any(words in said for words in NOT_MENTIONED)


def scores_of(answer: AnsweredBy, data_set: str) -> dict[str, float]:
    """The word measures of one answer; empty without an answer, without a gold answer, and for unanswerable
    questions. An answerable question that the reader refused gets 0."""
    gold, question = answer.question.answer, answer.question
    if answer.failure is not None or gold is None or not question.answerable:
        return {}
    said = answer.text if answer.enough else ""
    f1 = locomo_f1(said, gold, question.category) if data_set == "locomo" else stemmed_f1(said, gold)
    return {
        "f1": f1,
        "set_f1": set_f1(said, gold),
        "bleu_1": bleu_1(said, gold),
        "exact": exact_match(said, gold),
    }


def grade(name: str, answers: Sequence[AnsweredBy], data_set: str) -> AnswerGroup:
    """Score the answers of one group."""
    there = [each for each in answers if each.failure is None]
    asked_for_nothing = [each for each in there if not each.question.answerable]
    scores = [found for each in there if (found := scores_of(each, data_set))]
    judged = [float(each.correct) for each in there if each.correct is not None]
    columns = {name: [one[name] for one in scores] for name in MEASURES[:-1]} | {"judge": judged}
    return AnswerGroup(
        name=name,
        questions=len(answers),
        failed=len(answers) - len(there),
        unanswerable=len(asked_for_nothing),
        refused=_mean([float(refused(each)) for each in asked_for_nothing]),
        without_gold=len(there) - len(asked_for_nothing) - len(scores),
        scored=len(scores),
        judged=len(judged),
        judge_failed=sum(each.judge_failure is not None for each in there),
        scores={name: mean for name, values in columns.items() if (mean := _mean(values)) is not None},
    )


def macro_of(groups: Sequence[AnswerGroup]) -> dict[str, tuple[float, int]]:
    """By measure, the mean of the categories' means, and of how many categories."""
    found: dict[str, tuple[float, int]] = {}
    for measure in MEASURES:
        means = [group.scores[measure].mean for group in groups if measure in group.scores]
        if means:
            found[measure] = sum(means) / len(means), len(means)
    return found


def _mean(values: Sequence[float]) -> Estimate | None:
    return estimate_means(np.array(values, np.float64).reshape(-1, 1))[0] if values else None
