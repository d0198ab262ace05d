"""How well weights do on questions that they were not learned from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_choice
from memspan.errors import invalid

from .examples import Example
from .fit import DEFAULT_PENALTY, DEFAULT_SPECIAL_PENALTY, fit, scores_of
from .ranker import Ranker

__all__ = ["HOLD_OUTS", "HoldOut", "Quality", "cross_validate", "quality_of"]

HoldOut: TypeAlias = Literal["conversation", "data_set"]

Score: TypeAlias = "Callable[[int, Example], NDArray[np.float32]]"

HOLD_OUTS: Final[tuple[HoldOut, ...]] = get_args(HoldOut)

_FOLDS: Final = 5
_DEPTHS: Final = (1, 5, 10, 20, 50)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """Averages over questions."""

    questions: int
    recall: dict[int, float]
    """By k: the mean share of a question's evidence among its best k, 0-1."""
    mrr: float


def quality_of(examples: Sequence[Example], score: Score) -> Quality:
    """The quality of a ranking of each example's candidates by `score(position, example)`, the best first.

    Evidence that is no candidate counts as not found.
    """
    if not examples:
        raise invalid("examples", "none", "at least one question")
    recalls = dict.fromkeys(_DEPTHS, 0.0)
    reciprocal = 0.0
    for position, example in enumerate(examples):
        order = np.argsort(-score(position, example), kind="stable")
        ranks = np.flatnonzero(example.relevant[order]) + 1
        for depth in _DEPTHS:
            recalls[depth] += float((ranks <= depth).sum()) / example.evidence
        reciprocal += 1.0 / float(ranks[0]) if len(ranks) else 0.0
    count = len(examples)
    return Quality(
        questions=count, recall={k: value / count for k, value in recalls.items()}, mrr=reciprocal / count
    )


def cross_validate(
    examples: Sequence[Example],
    hold_out: HoldOut = "conversation",
    *,
    penalty: float = DEFAULT_PENALTY,
    special_penalty: float = DEFAULT_SPECIAL_PENALTY,
) -> dict[str, Quality]:
    """By data set, the quality on questions whose conversation, or whose whole data set, the weights have not seen.

    Conversations of each data set are dealt to five parts, each of which is left out in turn.

    Raises:
        InvalidArgumentError: there are fewer than two conversations, or data sets, to leave out in turn.
    """
    as_choice(hold_out, "hold_out", HOLD_OUTS)
    parts = [_part(example, examples, hold_out) for example in examples]
    if len(set(parts)) < 2:
        raise invalid(
            "examples", f"one {hold_out.replace('_', ' ')}", "two or more, to leave one out in turn"
        )
    rankers: dict[object, Ranker] = {}
    for part in set(parts):
        seen = [example for example, own in zip(examples, parts, strict=True) if own != part]
        rankers[part] = fit(seen, penalty=penalty, special_penalty=special_penalty)
    found = {}
    for name in dict.fromkeys(example.data_set for example in examples):
        own = [place for place, example in enumerate(examples) if example.data_set == name]
        chosen = [rankers[parts[place]] for place in own]
        found[name] = quality_of([examples[place] for place in own], _by(chosen))
    return found


def _by(rankers: Sequence[Ranker]) -> Score:
    return lambda position, example: scores_of(rankers[position], example)


def _part(example: Example, examples: Sequence[Example], hold_out: HoldOut) -> object:
    if hold_out == "data_set":
        return example.data_set
    same = dict.fromkeys(each.conversation for each in examples if each.data_set == example.data_set)
    return list(same).index(example.conversation) % _FOLDS
