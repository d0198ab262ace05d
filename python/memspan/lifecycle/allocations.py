"""How a capacity is shared out among the kinds of record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from memspan.errors import invalid

__all__ = ["ALLOCATIONS", "DEFAULT_ALLOCATION", "SHARED_KINDS", "apportioned", "checked_shares"]

SHARED_KINDS: Final = ("episodic", "semantic", "procedural")
"""The kinds that share a capacity; `resource` and `vault` have capacities of their own."""

DEFAULT_ALLOCATION: Final = "balanced_episodic"

_SLACK: Final = 1e-6


def _allocation(episodic: float, semantic: float, procedural: float) -> Mapping[str, float]:
    return MappingProxyType({"episodic": episodic, "semantic": semantic, "procedural": procedural})


ALLOCATIONS: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        "episodic_dominated": _allocation(0.80, 0.10, 0.10),
        "semantic_dominated": _allocation(0.10, 0.80, 0.10),
        "procedural_dominated": _allocation(0.10, 0.10, 0.80),
        "uniform": _allocation(0.33, 0.34, 0.33),
        "balanced_episodic": _allocation(0.40, 0.35, 0.25),
        "balanced_semantic": _allocation(0.25, 0.50, 0.25),
        "optimized": _allocation(0.38, 0.37, 0.25),
    }
)
"""The seven allocations of "Store, Compress, Staleness" (table 1), by name."""


def checked_shares(value: Any, argument: str = "shares") -> Mapping[str, float]:
    """Shares by kind: those of a named allocation, or a mapping that is one.

    Raises:
        InvalidArgumentError: an unknown name; not exactly `SHARED_KINDS`; a share that is no number above 0; shares
            that do not sum to 1 (within 1e-6).
    """
    if isinstance(value, str):
        if value not in ALLOCATIONS:
            raise invalid(argument, value, f"one of {', '.join(ALLOCATIONS)}, or a share for each kind")
        return ALLOCATIONS[value]
    kinds = ", ".join(SHARED_KINDS)
    if not isinstance(value, Mapping):
        raise invalid(argument, value, f"the name of an allocation, or a mapping from {kinds} to shares")
    if set(value) != set(SHARED_KINDS):
        raise invalid(argument, sorted(map(str, value)), f"exactly the kinds {kinds}")
    shares: dict[str, float] = {}
    for kind in SHARED_KINDS:
        share = value[kind]
        number = isinstance(share, (int, float)) and not isinstance(share, bool)
        if not number or not math.isfinite(share) or share <= 0:
            raise invalid(f"{argument}[{kind!r}]", share, "a number above 0")
        shares[kind] = float(share)
    total = math.fsum(shares.values())
    if abs(total - 1) > _SLACK:
        raise invalid(argument, dict(shares), f"shares that sum to 1; these sum to {total:.6g}")
    return MappingProxyType(shares)


def apportioned(capacity: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Whole records for each kind, in sum the capacity, none without any.

    Each kind gets the whole part of its share; what is left goes, one each, to the largest fractions (Hamilton's
    method), the first kind among equal ones. A kind that would get nothing takes one from the largest.

    Raises:
        InvalidArgumentError: there are fewer records than kinds.
    """
    if capacity < len(shares):
        raise invalid(
            "capacity", capacity, f"at least {len(shares)}, one record for each kind that shares it"
        )
    total = math.fsum(shares.values())
    # 0.35 of 500 are 175, whatever binary fractions make of it.
    exact = {kind: round(capacity * share / total, 6) for kind, share in shares.items()}
    whole = {kind: math.floor(value) for kind, value in exact.items()}
    by_fraction = sorted(whole, key=lambda kind: whole[kind] - exact[kind])
    for kind in by_fraction[: capacity - sum(whole.values())]:
        whole[kind] += 1
    for kind in whole:
        if whole[kind] == 0:
            whole[max(whole, key=whole.__getitem__)] -= 1
            whole[kind] = 1
    return whole
