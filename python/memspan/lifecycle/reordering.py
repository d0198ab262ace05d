"""What staleness may do to a ranking: a bounded change of order, nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["bounded_order"]


def bounded_order(staleness: ArrayLike, places: int) -> list[int]:
    """Positions of a ranking in their new order, stale ones a little later.

    By `rank + (places + 1/2) * staleness`; equal ones keep their order. Whatever overtakes a record stood at most
    `places` behind it, so that no record moves more than `places` down, or up, and nothing leaves or enters the list.
    Scores play no part, since they mean something else in each fusion. O(k log k).

    Args:
        staleness: of each rank, 0-1.
        places: see `StalenessPolicy.places`.
    """
    values = np.asarray(staleness, dtype=np.float64)
    keys = np.arange(len(values)) + (places + 0.5) * values
    return [int(place) for place in np.argsort(keys, kind="stable")]
