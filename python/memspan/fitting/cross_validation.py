"""How well weights do on questions that they were not learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_choice
from memspan.errors import invalid
from memspan.ranking.ranker import Ranker

from .examples import Example
from .ranker import fit_ranker
from .weights import DEFAULT_PENALTY, DEFAULT_SPECIAL_PENALTY, scores_of

__all__ = ["HOLD_OUTS", "HoldOut", "Parts", "Quality", "by_rankers", "cross_validate", "quality_of"]

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
    net: bool = True,
) -> dict[str, Quality]:
    """By data set, the quality on questions whose conversation, or whose whole data set, the ranker has not seen.

    Conversations of each data set are dealt to five parts, each of which is left out in turn.

    Raises:
        InvalidArgumentError: there are fewer than two conversations, or data sets, to leave out in turn.
    """
    parts = Parts.of([(each.data_set, each.conversation) for each in examples], hold_out)
    parts.require_two()
    held: list[tuple[Example, Ranker]] = []
    for out in parts.names:
        seen = [each for each in examples if parts(each.data_set, each.conversation) != out]
        ranker = fit_ranker(seen, penalty=penalty, special_penalty=special_penalty, net=net)
        held += [(each, ranker) for each in examples if parts(each.data_set, each.conversation) == out]
    return by_rankers(held)


def by_rankers(held: Sequence[tuple[Example, Ranker]]) -> dict[str, Quality]:
    """By data set, the quality of examples that are each ranked by their own ranker."""
    found = {}
    for name in dict.fromkeys(example.data_set for example, _ in held):
        own = [pair for pair in held if pair[0].data_set == name]
        found[name] = quality_of([example for example, _ in own], _by([ranker for _, ranker in own]))
    return found


def _by(rankers: Sequence[Ranker]) -> Score:
    return lambda position, example: scores_of(rankers[position], example)


class Parts:
    """Which part of the questions is left out together, by data set and conversation.

    By conversation, the conversations of each data set are dealt to five parts in their order.
    """

    def __init__(self, part: Mapping[tuple[str, str], object]) -> None:
        self._part = part
        self.names: Final = tuple(dict.fromkeys(part.values()))

    @classmethod
    def of(cls, conversations: Iterable[tuple[str, str]], hold_out: HoldOut) -> Parts:
        """The parts of these (data set, conversation) pairs, which may come many times."""
        as_choice(hold_out, "hold_out", HOLD_OUTS)
        known: dict[tuple[str, str], object] = {}
        dealt: dict[str, int] = {}
        for data_set, conversation in dict.fromkeys(conversations):
            if hold_out == "data_set":
                known[data_set, conversation] = data_set
            else:
                known[data_set, conversation] = dealt.get(data_set, 0) % _FOLDS
                dealt[data_set] = dealt.get(data_set, 0) + 1
        return cls(known)

    def __call__(self, data_set: str, conversation: str) -> object:
        """The part that it belongs to; `None` if it is not known."""
        return self._part.get((data_set, conversation))

    def require_two(self) -> None:
        """Raise `InvalidArgumentError` when there is nothing to leave out in turn."""
        if len(self.names) < 2:
            raise invalid(
                "examples", "one conversation, or data set", "two or more, to leave one out in turn"
            )
