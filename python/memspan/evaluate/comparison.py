"""What a change did to the same questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memspan.errors import invalid

from .evaluation import Evaluation
from .intervals import Estimate, estimate_means
from .scores import ALL, turn_scores

__all__ = ["Change", "compare"]


@dataclass(frozen=True, slots=True)
class Change:
    """The differences over all questions, or over those of one category."""

    name: str
    scored: int
    differences: Mapping[str, Estimate]
    """For each of `Group.scores`: after minus before. An interval that does not hold 0 is a change that more
    questions of the same kind would show as well; with many differences looked at, one in twenty does so by
    chance."""


def compare(before: Evaluation, after: Evaluation) -> list[Change]:
    """The differences between two evaluations of the same questions at the same depths.

    The intervals are those of the differences question by question, which are far narrower than a look at the
    two figures' own intervals suggests.

    Raises:
        InvalidArgumentError: the questions or the depths differ.
    """
    if before.ks != after.ks:
        raise invalid("after", after.ks, f"the depths of the other evaluation, {before.ks}")
    if [each.question for each in before.questions] != [each.question for each in after.questions]:
        raise invalid("after", f"{len(after.questions)} questions", "the questions of the other evaluation")
    pairs = [pair for pair in zip(before.questions, after.questions, strict=True) if pair[0].scored]
    changes = []
    for name in (ALL, *before.categories):
        chosen = [pair for pair in pairs if name in (ALL, pair[0].question.category)]
        if chosen:
            names, old = turn_scores([pair[0] for pair in chosen], before.ks)
            _, new = turn_scores([pair[1] for pair in chosen], after.ks)
            changes.append(
                Change(name, len(chosen), dict(zip(names, estimate_means(new - old), strict=True)))
            )
    return changes
