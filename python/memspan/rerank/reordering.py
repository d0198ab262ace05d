"""A second look at the best of a search: as many as the budget allows are scored, and move among the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .pace import Pace
from .protocol import Reranker, checked_scores

__all__ = [
    "BEHIND_LEARNED",
    "BEHIND_RANKS",
    "Reordered",
    "Trust",
    "as_log_odds",
    "from_sessions",
    "reorder",
]

# Log odds fall by about so much a unit of the logarithm of the rank, in a fusion by rank.
_FALL: Final = 1.6
# A batch takes about so long: short enough to learn the pace, long enough to keep several threads busy.
_ROUND_SECONDS: Final = 0.05
# How sure a record would be that was not scored, against the mean of those that were: the next ten of a ranking are
# .25-.39 as sure as the first two to 24 are, on LoCoMo, REALTALK and BEAM alike.
_UNREAD: Final = 1 / 3


@dataclass(frozen=True, slots=True)
class Trust:
    """How much a reranker counts. Its log odds are not calibrated, least of all below 0: softplus keeps a surer "yes"
    apart from a "yes", and the logarithm of the rank tells one "no" from another."""

    sureness: float
    """Log odds for each unit of softplus."""
    rank: float
    """Log odds for each unit of the logarithm of the rank, taken away."""

    def gains(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """What is added to the log odds of those that were scored: what they would gain less what others would, so that
        on average nothing moves against these."""
        sure = np.logaddexp(0.0, scores)
        gains: NDArray[np.float64] = self.sureness * (sure - _UNREAD * sure.mean())
        if self.rank:
            places = np.log(_ranks_of(scores))
            gains -= self.rank * (places - places.mean())
        return gains


BEHIND_LEARNED: Final = Trust(0.75, 0.0)
"""Behind learned scores: more takes from REALTALK what it gives LoCoMo, conversations left out
(benches/results/ablation.md, "The second look")."""
BEHIND_RANKS: Final = Trust(1.0, 1.0)
"""Behind a fusion by rank, which leaves more to find (benches/results/ablation.md, "The second look")."""


@dataclass(frozen=True, slots=True)
class Reordered:
    """What a second look made of a ranking."""

    order: list[int]
    """Positions in the input, best first; each exactly once."""
    log_odds: NDArray[np.float64]
    """By position in the input: the base with what the reranker added or took away."""
    scores: list[float]
    """What the reranker said, for the first positions of the input, as far as the budget went."""


def as_log_odds(count: int) -> NDArray[np.float64]:
    """What a ranking says by its order alone: the log odds of each rank, up to a constant."""
    return -_FALL * np.log(np.arange(1, count + 1, dtype=np.float64))


def reorder(
    reranker: Reranker,
    pace: Pace,
    question: str,
    passages: Sequence[str],
    base: NDArray[np.float64],
    seconds: float,
    clock: Callable[[], float] = perf_counter,
    trust: Trust = BEHIND_LEARNED,
) -> Reordered:
    """Score passages from the best on, while the time lasts, and rank all anew.

    `Trust.gains` says what is added to the base of those that were scored. Equal ones keep their order; with no time,
    or less than two scored, so do all.

    Args:
        pace: learns how fast the reranker is; a batch that would not end in time is not begun.
        passages: of the first of the ranking, best first; others are not looked at.
        base: log odds of the whole ranking, falling.
        seconds: the budget. It is kept as well as the pace foretells the last batch.
        trust: how much what it says counts against the base.

    Raises:
        RerankerError: the reranker failed.
    """
    deadline = clock() + seconds
    scores: list[float] = []
    while len(scores) < len(passages):
        now = clock()
        batch = _fitting(pace, question, passages, len(scores), deadline - now)
        if not batch:
            break
        scores += checked_scores(reranker, question, batch).tolist()
        pace.learn(question, batch, clock() - now)
    log_odds = np.array(base, dtype=np.float64)
    if len(scores) > 1:
        log_odds[: len(scores)] += trust.gains(np.array(scores, dtype=np.float64))
    return Reordered(np.argsort(-log_odds, kind="stable").tolist(), log_odds, scores)


def from_sessions(order: Sequence[int], session_of: Sequence[str | None], wanted: int, k: int) -> list[int]:
    """The best `k` of an order, from `wanted` sessions if it holds so many: the last places are for the best of those
    that are missing, as in the native ranking (ranking/selection.hpp). Records without a session make one together.
    O(n + k).

    Args:
        session_of: by position.
    """
    places = min(k, len(order))
    uncovered = min(wanted, len(set(session_of)), places) if wanted > 1 else 0
    covered: set[str | None] = set()
    chosen: list[int] = []
    for position in order:
        if len(chosen) == places:
            break
        session = session_of[position]
        if session in covered and 0 < uncovered >= places - len(chosen):
            continue
        chosen.append(position)
        if uncovered and session not in covered:
            covered.add(session)
            uncovered -= 1
    return chosen


def _ranks_of(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """From 1, the highest score's; equal scores share the mean of their ranks."""
    _, of_value, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: NDArray[np.float64] = (ends - (counts - 1) / 2)[of_value]
    return ranks


def _fitting(pace: Pace, question: str, passages: Sequence[str], start: int, left: float) -> Sequence[str]:
    """The next batch: as many as end within a round and within what is left; one alone may take longer than a round.

    Of an unknown pace it is one.
    """
    end = start
    while end < len(passages):
        expected = pace.expected(question, passages[start : end + 1])
        if left <= 0 or expected > left or (end > start and not 0 < expected <= _ROUND_SECONDS):
            break
        end += 1
    return passages[start:end]
