"""How important a turn seems when it comes, without a model and without looking ahead."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memspan import _core

__all__ = ["estimated_importance"]


def estimated_importance(texts: Sequence[str]) -> NDArray[np.float64]:
    """omega of each turn, 0-1: its rank among those so far by how much it says.

    That is the sum of the self-information of its distinct stems, by how many turns had them until then. A greeting
    comes near 0, a turn full of rare words near 1. O(n log n) for turns of bounded length, but for moves in a sorted
    list.
    """
    held: Counter[str] = Counter()
    so_far: list[float] = []
    found = np.zeros(len(texts))
    for position, text in enumerate(texts):
        stems = set(_core.analyze(text, "english"))
        bits = sum(math.log2((position + 1.5) / (held[stem] + 0.5)) for stem in stems)
        found[position] = (bisect_left(so_far, bits) + 0.5) / (len(so_far) + 1)
        insort(so_far, bits)
        held.update(stems)
    return found
