"""How many processor cores there are to work on."""

from __future__ import annotations

import os

__all__ = ["available_cores", "cores_beside_searches"]


def available_cores() -> int:
    """Cores that this process may use, which may be fewer than the machine has; at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cores_beside_searches() -> int:
    """Cores for work beside which others search: one less than this process may use; at least 1."""
    return max(1, available_cores() - 1)
