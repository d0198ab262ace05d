"""Which texts go through a model together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["plan_batches"]


def plan_batches(lengths: Sequence[int], max_texts: int, max_cells: int) -> list[list[int]]:
    """Group texts of similar length, longest first, so that little is padded and no long one comes last.

    Args:
        lengths: tokens of each text, at least 1.
        max_texts: most texts in a batch, at least 1.
        max_cells: most `texts * longest` in a batch, which bounds its memory; a longer text goes alone.

    Returns:
        Positions in `lengths`, each exactly once. Equal lengths keep their order. O(n log n).
    """
    batches: list[list[int]] = []
    room = 0
    for position in np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable").tolist():
        if room == 0:
            batches.append([])
            room = max(1, min(max_texts, max_cells // lengths[position]))
        batches[-1].append(position)
        room -= 1
    return batches
