"""Learn a whole ranker: its weights, then the net that stands beside them."""

from __future__ import annotations

from collections.abc import Sequence

from memspan.ranking import QueryAdapter, Ranker

from .examples import Example
from .net import fit_net
from .weights import DEFAULT_PENALTY, DEFAULT_SPECIAL_PENALTY, fit

__all__ = ["fit_ranker"]


def fit_ranker(
    examples: Sequence[Example],
    *,
    penalty: float = DEFAULT_PENALTY,
    special_penalty: float = DEFAULT_SPECIAL_PENALTY,
    net: bool = True,
    adapter: QueryAdapter | None = None,
    trained_on: Sequence[str] = (),
) -> Ranker:
    """The weights of `fit` and, if wanted and if there are questions enough, the net of `fit_net` beside them.

    Args:
        examples, penalty, special_penalty, trained_on: see `fit`.
        net: whether a net is wanted.
        adapter: what moved the questions of the examples.

    Raises:
        InvalidArgumentError, MissingExtraError: see `fit`.
    """
    learned = fit(examples, penalty=penalty, special_penalty=special_penalty)
    return Ranker(
        learned.weights,
        adapter=adapter,
        net=fit_net(examples, learned) if net else None,
        trained_on=trained_on,
    )
