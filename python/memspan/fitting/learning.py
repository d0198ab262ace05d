"""Learn a ranker with its adapter, and how well such rankers do on questions that they were not learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TypeAlias

from memspan.ranking.adapter import QueryAdapter
from memspan.ranking.ranker import Ranker

from .adapter import Asking, EmbedderName, fit_adapter
from .cross_validation import HoldOut, Parts, Quality, by_rankers
from .examples import AdapterOf, Example
from .ranker import fit_ranker
from .weights import DEFAULT_PENALTY, DEFAULT_SPECIAL_PENALTY

__all__ = ["ExamplesWith", "Learning"]

ExamplesWith: TypeAlias = Callable[[AdapterOf], list[Example]]


class Learning:
    """Cross-fitting of two models, one behind the other.

    The features that weights and net are learned from come from adapters that have not seen the conversation: in its
    own, an adapter looks better than it is, and would be given too much weight. The ranker that is made gets the
    adapter of all conversations.

    Args:
        askings: the questions as vectors.
        embedder: what made them.
        examples_with: the same questions as candidates and features, under the adapters it is given.
        penalty, special_penalty, net: see `fit_ranker`.
    """

    def __init__(
        self,
        askings: Sequence[Asking],
        embedder: EmbedderName,
        examples_with: ExamplesWith,
        *,
        penalty: float = DEFAULT_PENALTY,
        special_penalty: float = DEFAULT_SPECIAL_PENALTY,
        net: bool = True,
    ) -> None:
        self._askings = askings
        self._embedder = embedder
        self._examples_with = examples_with
        self._penalty = penalty
        self._special_penalty = special_penalty
        self._net = net
        self._folds = Parts.of([(each.data_set, each.conversation) for each in askings], "conversation")
        self._adapters: dict[frozenset[object], QueryAdapter | None] = {}

    def ranker(self, trained_on: Sequence[str] = ()) -> Ranker:
        """The weights, the net and the adapter of all questions."""

        @cache
        def adapter_of(data_set: str, conversation: str) -> QueryAdapter | None:
            return self._adapter([self._folds(data_set, conversation)])

        learned = self._fit(self._examples_with(adapter_of))
        return Ranker(learned.weights, adapter=self._adapter([]), net=learned.net, trained_on=trained_on)

    def cross_validate(self, hold_out: HoldOut = "conversation") -> dict[str, Quality]:
        """By data set, the quality on questions whose conversation, or whose whole data set, neither the ranker nor
        any adapter behind them has seen. One fit of weights, and of adapters for all conversations, for each part.

        Raises:
            InvalidArgumentError: there are fewer than two parts to leave out in turn.
        """
        parts = self.parts(hold_out)
        parts.require_two()
        held: list[tuple[Example, Ranker]] = []
        for out in parts.names:
            examples = self.examples_without(out, parts)
            seen = [each for each in examples if parts(each.data_set, each.conversation) != out]
            ranker = self._fit(seen)
            held += [(each, ranker) for each in examples if parts(each.data_set, each.conversation) == out]
        return by_rankers(held)

    def parts(self, hold_out: HoldOut = "conversation") -> Parts:
        """What is left out together."""
        return Parts.of([(each.data_set, each.conversation) for each in self._askings], hold_out)

    def examples_without(self, out: object, parts: Parts) -> list[Example]:
        """All questions, asked with adapters that have seen neither this part nor the question's own conversation."""
        return self._examples_with(self._without(out, parts))

    def _fit(self, examples: Sequence[Example]) -> Ranker:
        return fit_ranker(
            examples, penalty=self._penalty, special_penalty=self._special_penalty, net=self._net
        )

    def _without(self, out: object, parts: Parts) -> AdapterOf:
        """Adapters that have not seen the part, nor the fold of the conversation that they are for."""

        @cache  # asked for every question
        def adapter_of(data_set: str, conversation: str) -> QueryAdapter | None:
            own = [] if parts(data_set, conversation) == out else [self._folds(data_set, conversation)]
            return self._adapter(own, without=(parts, out))

        return adapter_of

    def _adapter(
        self, folds: Iterable[object], without: tuple[Parts, object] | None = None
    ) -> QueryAdapter | None:
        left = set(folds)
        seen = [
            place
            for place, each in enumerate(self._askings)
            if self._folds(each.data_set, each.conversation) not in left
            and (without is None or without[0](each.data_set, each.conversation) != without[1])
        ]
        key = frozenset(seen)
        if key not in self._adapters:
            chosen = [self._askings[place] for place in seen]
            self._adapters[key] = fit_adapter(chosen, self._embedder) if chosen else None
        return self._adapters[key]
