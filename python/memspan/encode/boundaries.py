"""Where one topic ends and the next begins, among sentences in a row (LightMem 3.1, C.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["adjacent_similarities", "attention_boundaries", "preceding_attention", "similarity_boundaries"]


def preceding_attention(attention: NDArray[np.float64]) -> NDArray[np.float64]:
    """M_{k,k-1} for every sentence k but the first: the share of its attention to all sentences before it that goes to
    the one right before it (C.1). Shape (n - 1,); 0 where there is no attention."""
    lower = np.tril(attention, -1)
    sums = lower.sum(axis=1)
    near = np.diagonal(attention, -1)
    shares: NDArray[np.float64] = np.divide(near, sums[1:], out=np.zeros(len(near)), where=sums[1:] > 0)
    return shares


def attention_boundaries(attention: NDArray[np.float64], *, minima: bool = False) -> list[int]:
    """B1 = {k | M_{k,k-1} > M_{k-1,k-2}, M_{k,k-1} > M_{k+1,k}, 1 < k < n}: sentences that begin a topic, by position.
    With `minima`, the same with both signs turned, which is not the paper's.

    The second sentence has only one before it, so that its share is 1: neither it nor the third can be a peak.
    """
    near = preceding_attention(attention)  # near[k - 1] is M_{k,k-1}
    near = -near if minima else near
    peaks = (near[1:-1] > near[:-2]) & (near[1:-1] > near[2:])
    return [int(place) + 2 for place in np.flatnonzero(peaks)]


def adjacent_similarities(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """sim(s_{k-1}, s_k), the cosine, for every sentence but the first; shape (n - 1,)."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1)
    return np.asarray((wide[:-1] * wide[1:]).sum(axis=1) / np.maximum(lengths[:-1] * lengths[1:], 1e-30))


def similarity_boundaries(similarities: Sequence[float] | NDArray[np.float64], threshold: float) -> list[int]:
    """B2 = {k | sim(s_{k-1}, s_k) < threshold, 1 <= k < n}: sentences unlike the one before, by position."""
    return [int(place) + 1 for place in np.flatnonzero(np.asarray(similarities) < threshold)]
