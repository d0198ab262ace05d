"""Metrics of one ranking. `relevant` is not empty; an item that comes back twice counts where it came first.

An entry of a ranking is one item, or several that came back as one.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import log2
from typing import TypeAlias

__all__ = ["Entry", "all_at", "hit_at", "ndcg_at", "ranks_of", "recall_at", "reciprocal_rank"]

Entry: TypeAlias = str | tuple[str, ...]


def ranks_of(relevant: Set[str], ranked: Sequence[Entry]) -> dict[str, int]:
    """The rank, from 1, of each relevant item that came back, best first."""
    ranks: dict[str, int] = {}
    for rank, entry in enumerate(ranked, 1):
        for item in _items(entry):
            if item in relevant:
                ranks.setdefault(item, rank)
    return ranks


def _items(entry: Entry) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else entry


def _first(ranked: Sequence[Entry], k: int) -> set[str]:
    return {item for entry in ranked[:k] for item in _items(entry)}


def recall_at(relevant: Set[str], ranked: Sequence[Entry], k: int) -> float:
    """The share of the relevant items within the first `k`."""
    return len(relevant & _first(ranked, k)) / len(relevant)


def all_at(relevant: Set[str], ranked: Sequence[Entry], k: int) -> float:
    """1 when all relevant items are within the first `k`."""
    return float(relevant <= _first(ranked, k))


def hit_at(relevant: Set[str], ranked: Sequence[Entry], k: int) -> float:
    """1 when any relevant item is within the first `k`."""
    return float(not relevant.isdisjoint(_first(ranked, k)))


def reciprocal_rank(relevant: Set[str], ranked: Sequence[Entry]) -> float:
    """1 / the rank of the first relevant item; 0 when none came back."""
    return next((1 / rank for rank in ranks_of(relevant, ranked).values()), 0.0)


def ndcg_at(relevant: Set[str], ranked: Sequence[Entry], k: int) -> float:
    """Discounted gain of the first `k` against the best possible; gain 1, discount log2(1 + rank).

    An entry that brings several relevant items gains 1 as well, so that the value is never above 1.
    """
    gain = sum(1 / log2(1 + rank) for rank in set(ranks_of(relevant, ranked[:k]).values()))
    return gain / sum(1 / log2(1 + rank) for rank in range(1, min(len(relevant), k) + 1))
