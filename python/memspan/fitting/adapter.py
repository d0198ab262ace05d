"""Learn a `QueryAdapter` from questions with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_integer, as_number
from memspan.errors import invalid, missing_extra
from memspan.ranking.adapter import QueryAdapter

__all__ = ["Asking", "EmbedderName", "fit_adapter"]

DEFAULT_RANK: Final = 32
DEFAULT_ADAPTER_PENALTY: Final = 200.0
_SHARPNESS: Final = 30.0
"""What a cosine is multiplied with before the softmax."""
_ROUNDS: Final = 80
_START: Final = 0.3
_SEED: Final = 0

Matrix = NDArray[np.float32]


class EmbedderName(NamedTuple):
    """Which embedder made vectors."""

    name: str
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question and its answers, as vectors."""

    data_set: str
    conversation: str
    vector: Matrix
    """Of the question, shape (dim,)."""
    records: Matrix
    """Of all the user's records, shape (records, dim); the same array for all questions of a conversation."""
    evidence: NDArray[np.int64]
    """Rows of `records` that answer it."""
    text: str = ""
    """The question in words."""


def fit_adapter(
    askings: Sequence[Asking],
    embedder: EmbedderName,
    *,
    rank: int = DEFAULT_RANK,
    penalty: float = DEFAULT_ADAPTER_PENALTY,
) -> QueryAdapter:
    """The step that brings questions nearer to their evidence than to the other records of their users.

    The loss is the mean, over a question's evidence, of -log of its share in a softmax over all records of the user by
    cosine; with half the penalty times the squares of both matrices, which together keep the sum of the singular
    values of U Vᵀ small (Srebro, Rennie and Jaakkola, NIPS 2004): the rank is an upper bound. Deterministic.
    O(questions x records x dim) for each of up to 80 rounds of L-BFGS.

    Args:
        askings: those without evidence are left out.
        embedder: which one made the vectors.
        rank: of the step, at most.
        penalty: more keeps the step smaller.

    Raises:
        InvalidArgumentError: there is no evidence to learn from, or a number is out of range.
        MissingExtraError: SciPy is not installed.
    """
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise missing_extra("scipy", "memspan fit", "fit") from error
    as_integer(rank, "rank", 1, 256)
    as_number(penalty, "penalty", 1e-6, 1e9)
    usable = [asking for asking in askings if len(asking.evidence)]
    if not usable:
        raise invalid("askings", f"{len(askings)} questions", "one with evidence")
    dim = len(usable[0].vector)
    groups = _grouped(usable)
    size = dim * rank

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        up = flat[:size].reshape(dim, rank).astype(np.float32)
        down = flat[size:].reshape(dim, rank).astype(np.float32)
        total = 0.0
        up_slope, down_slope = np.zeros_like(up), np.zeros_like(down)
        for group in groups:
            inner = group.questions @ down
            scores = _SHARPNESS * ((group.questions + inner @ up.T) @ group.records.T)
            scores -= scores.max(axis=1, keepdims=True)
            powers = np.exp(scores)
            sums = powers.sum(axis=1, keepdims=True)
            total -= float((group.shares * (scores - np.log(sums))).sum())
            slope = _SHARPNESS * ((powers / sums - group.shares) @ group.records)
            up_slope += slope.T @ inner
            down_slope += group.questions.T @ (slope @ up)
        gradient = np.concatenate([up_slope.ravel(), down_slope.ravel()]).astype(np.float64)
        return total + penalty / 2 * float(flat @ flat), gradient + penalty * flat

    # At zero both slopes are zero: one of the matrices starts at random.
    start = np.zeros(2 * size)
    start[size:] = np.random.default_rng(_SEED).normal(size=size) * (_START / np.sqrt(dim))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}).x
    return QueryAdapter(
        embedder=embedder.name,
        checksum=embedder.checksum,
        up=found[:size].reshape(dim, rank).astype(np.float32),
        down=found[size:].reshape(dim, rank).astype(np.float32),
    )


class _Group(NamedTuple):
    """The questions about one user."""

    questions: Matrix
    records: Matrix
    shares: Matrix
    """Of each record in the evidence of each question."""


def _grouped(askings: Sequence[Asking]) -> list[_Group]:
    by_records: dict[int, list[Asking]] = {}
    for asking in askings:
        by_records.setdefault(id(asking.records), []).append(asking)
    groups = []
    for same in by_records.values():
        records = same[0].records
        shares = np.zeros((len(same), len(records)), np.float32)
        for row, asking in zip(shares, same, strict=True):
            row[asking.evidence] = 1.0 / len(asking.evidence)
        groups.append(_Group(np.stack([asking.vector for asking in same]), records, shares))
    return groups
