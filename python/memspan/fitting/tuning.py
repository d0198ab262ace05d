"""Learn a ranker from few questions of one's own: begin with the package's and move it as far as they warrant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.errors import invalid
from memspan.ranking import Ranker

from .examples import Example
from .ranker import fit_ranker
from .weights import DEFAULT_PENALTY, DEFAULT_SPECIAL_PENALTY, fit, scores_of

__all__ = ["STRONGEST", "Tuned", "Way", "tune", "tune_left_out"]

_BEST: Final = 100
"""Candidates of each question that a moved ranker is learned from, beside the evidence: of those far behind it learns
nothing (recall and loss are the same), and they are most."""

_FEWEST: Final = 5
"""Questions that a way is chosen by; of fewer the most careful one is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a ranker is learned."""

    anew: bool
    """Whether from nothing, instead of from the package's ranker on."""
    penalty: float
    special_penalty: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """A ranker, and how it was learned."""

    ranker: Ranker
    way: Way


STRONGEST: Final = 3000.0
_PENALTIES: Final = (STRONGEST, 1000.0, 300.0, 100.0, 30.0)
_SPECIAL: Final = DEFAULT_SPECIAL_PENALTY / DEFAULT_PENALTY
_WAYS: Final = (
    *(Way(anew=False, penalty=each, special_penalty=each * _SPECIAL) for each in _PENALTIES),
    Way(anew=True, penalty=DEFAULT_PENALTY, special_penalty=DEFAULT_SPECIAL_PENALTY),
)
"""The most careful first."""


def tune(
    examples: Sequence[Example],
    parts: Sequence[int],
    start: Ranker,
    *,
    penalty: float | None = None,
    special_penalty: float | None = None,
    net: bool = True,
    trained_on: Sequence[str] = (),
) -> Tuned:
    """A ranker that begins with `start`, whose weights are moved; its net and adapter stay.

    How far they move is chosen by leaving out each part in turn: the most careful of six ways whose loss on what was
    left out is no more than a standard error from the least one's (the one-standard-error rule of Breiman et al. 1984).
    The sixth forgets `start`, for conversations that are unlike all that it has seen. Deterministic. 31 fits.

    Args:
        examples: as `collect` gives them; those without evidence among their candidates teach nothing.
        parts: of each example (`parts_of`).
        start: the package's ranker, or another.
        penalty: on how far weights move; `None`: chosen.
        special_penalty: the same for what conditions add; `None`: chosen, or half of a penalty that is given.
        net: whether the net of `start` stays, and whether one is learned with weights that forget it
            (of 300 questions or more).
        trained_on: a note for people.

    Raises:
        InvalidArgumentError, MissingExtraError: see `fit`; or there is not one part for each example.
    """
    if len(parts) != len(examples):
        raise invalid("parts", f"{len(parts)} of them", f"one for each of {len(examples)} examples")
    begun = start if net else Ranker(start.weights, adapter=start.adapter)
    if penalty is None and special_penalty is None:
        way = _chosen(examples, np.asarray(parts), begun)
    else:
        given = penalty if penalty is not None else (special_penalty or 0.0) / _SPECIAL
        special = special_penalty if special_penalty is not None else given * _SPECIAL
        way = Way(anew=False, penalty=given, special_penalty=special)
    ranker = _learned(examples, _near(examples, begun), begun, way, net=net, trained_on=trained_on)
    return Tuned(ranker=ranker, way=way)


def tune_left_out(
    examples: Sequence[Example],
    parts: Sequence[int],
    start: Ranker,
    advance: Callable[[int], object] = lambda _: None,
    *,
    penalty: float | None = None,
    special_penalty: float | None = None,
    net: bool = True,
) -> list[Ranker]:
    """For each example a ranker that has seen nothing of its part, neither in the choice of a way.

    Arguments and errors as for `tune`; `advance` is called with the parts done.

    Raises:
        InvalidArgumentError: there are fewer than two parts with evidence among the candidates.
    """
    teaching = {part for part, each in zip(parts, examples, strict=True) if each.relevant.any()}
    if len(teaching) < 2:
        raise invalid("examples", f"{len(examples)} questions", "evidence among the candidates of two")
    rankers: dict[int, Ranker] = {}
    for out in sorted(set(parts)):
        seen = [place for place, part in enumerate(parts) if part != out]
        rankers[out] = tune(
            [examples[place] for place in seen],
            [parts[place] for place in seen],
            start,
            penalty=penalty,
            special_penalty=special_penalty,
            net=net,
        ).ranker
        advance(1)
    return [rankers[part] for part in parts]


def _chosen(examples: Sequence[Example], parts: NDArray[np.int64], start: Ranker) -> Way:
    usable = np.array([bool(each.relevant.any()) for each in examples])
    dealt = np.unique(parts[usable])
    if usable.sum() < _FEWEST or len(dealt) < 2:
        return _WAYS[0]
    losses = np.zeros((len(_WAYS), len(examples)))
    near = _near(examples, start)
    for out in dealt:
        seen = np.flatnonzero(parts != out).tolist()
        whole, nearest = [examples[place] for place in seen], [near[place] for place in seen]
        for place, way in enumerate(_WAYS):
            ranker = _learned(whole, nearest, start, way, net=False)
            for held in np.flatnonzero((parts == out) & usable).tolist():
                losses[place, held] = _loss(ranker, examples[held])
    return _WAYS[_careful(losses[:, usable])]


def _careful(losses: NDArray[np.float64]) -> int:
    """The first row that is not worse than the best by more than a standard error of their difference."""
    best = losses[int(np.argmin(losses.mean(axis=1)))]
    worse = losses - best
    errors = worse.std(axis=1, ddof=1) / np.sqrt(losses.shape[1])
    return int(np.argmax(worse.mean(axis=1) <= errors))


def _learned(
    examples: Sequence[Example],
    near: Sequence[Example],
    start: Ranker,
    way: Way,
    *,
    net: bool,
    trained_on: Sequence[str] = (),
) -> Ranker:
    penalties = {"penalty": way.penalty, "special_penalty": way.special_penalty}
    if way.anew:
        return fit_ranker(examples, net=net, adapter=start.adapter, trained_on=trained_on, **penalties)
    return fit(near, start=start, trained_on=trained_on, **penalties)


def _near(examples: Sequence[Example], start: Ranker) -> list[Example]:
    """With only their evidence and the candidates that could be mistaken for it."""
    near = []
    for each in examples:
        kept = each.relevant.copy()
        kept[np.argsort(-scores_of(start, each), kind="stable")[:_BEST]] = True
        near.append(replace(each, features=each.features[kept], relevant=each.relevant[kept]))
    return near


def _loss(ranker: Ranker, example: Example) -> float:
    """What `Lists` says of one question, in float64."""
    scores = scores_of(ranker, example).astype(np.float64)
    powers = np.exp(scores - scores.max())
    own, rivals = powers[example.relevant], powers[~example.relevant].sum()
    return -float(np.log((own + 1e-30) / (own + rivals + 1e-30)).mean())
