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

__all__ = [
    "DEPTHS",
    "HOLD_OUTS",
    "HoldOut",
    "Parts",
    "Quality",
    "by_rankers",
    "cross_validate",
    "figures_of",
    "mean_of",
    "quality_of",
    "ranks_of",
]

HoldOut: TypeAlias = Literal["conversation", "data_set"]

Score: TypeAlias = Callable[[int, Example], NDArray[np.float32]]

HOLD_OUTS: Final[tuple[HoldOut, ...]] = get_args(HoldOut)

_FOLDS: Final = 5
DEPTHS: Final = (1, 5, 10, 20, 50)
"""At which recall is told."""


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
    figures = [
        figures_of(ranks_of(example, score(position, example)), example.evidence)
        for position, example in enumerate(examples)
    ]
    return mean_of(np.array(figures))


def ranks_of(example: Example, scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """The ranks of the evidence, from 1, ascending; of equal scores the first candidate is before."""
    return np.flatnonzero(example.relevant[np.argsort(-scores, kind="stable")]) + 1


def figures_of(ranks: NDArray[np.int64], evidence: int) -> list[float]:
    """What is averaged of one question: its recall at each depth and its reciprocal rank, 0-1.

    Args:
        ranks: of the evidence that was found, from 1, ascending.
        evidence: how much there is.
    """
    recalls = [float((ranks <= depth).sum()) / evidence for depth in DEPTHS]
    return [*recalls, 1.0 / float(ranks[0]) if len(ranks) else 0.0]


def mean_of(figures: NDArray[np.float64]) -> Quality:
    """The quality that these are the figures of, one row for each question."""
    *recalls, mrr = map(float, figures.sum(axis=0) / len(figures))
    return Quality(questions=len(figures), recall=dict(zip(DEPTHS, recalls, strict=True)), mrr=mrr)


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
