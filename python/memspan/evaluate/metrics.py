"""Metrics of one ranking. `relevant` is not empty; an item that comes back twice counts where it came first."""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import log2

__all__ = ["all_at", "hit_at", "ndcg_at", "ranks_of", "recall_at", "reciprocal_rank"]


def ranks_of(relevant: Set[str], ranked: Sequence[str]) -> dict[str, int]:
    """The rank, from 1, of each relevant item that came back, best first."""
    ranks: dict[str, int] = {}
    for rank, item in enumerate(ranked, 1):
        if item in relevant:
            ranks.setdefault(item, rank)
    return ranks


def recall_at(relevant: Set[str], ranked: Sequence[str], k: int) -> float:
    """The share of the relevant items within the first `k`."""
    return len(relevant & set(ranked[:k])) / len(relevant)


def all_at(relevant: Set[str], ranked: Sequence[str], k: int) -> float:
    """1 when all relevant items are within the first `k`."""
    return float(relevant <= set(ranked[:k]))


def hit_at(relevant: Set[str], ranked: Sequence[str], k: int) -> float:
    """1 when any relevant item is within the first `k`."""
    return float(not relevant.isdisjoint(ranked[:k]))


def reciprocal_rank(relevant: Set[str], ranked: Sequence[str]) -> float:
    """1 / the rank of the first relevant item; 0 when none came back."""
    return next((1 / rank for rank in ranks_of(relevant, ranked).values()), 0.0)


def ndcg_at(relevant: Set[str], ranked: Sequence[str], k: int) -> float:
    """Discounted gain of the first `k` against the best possible; gain 1, discount log2(1 + rank)."""
    gain = sum(1 / log2(1 + rank) for rank in ranks_of(relevant, ranked[:k]).values())
    return gain / sum(1 / log2(1 + rank) for rank in range(1, min(len(relevant), k) + 1))
