"""How stale memories are: the paper's four policies and one of ours, as pure functions (store-compress-staleness, 3.4).

Two quantities are kept apart, as in the paper (3.1). *True* staleness (`true_staleness`) is what age does to a memory,
whatever anybody thinks of it; it only judges. *Tracked* staleness (`StalenessPolicy.tracked`) is what a policy
believes, and the only one that searches and pruning may use.

All functions take arrays or numbers, time in any one unit, and cost O(n). A clock that went backwards gives negative
times; they count as 0: nothing is stale before it was written.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memspan.arguments import as_choice, as_integer, as_number, as_positive
from memspan.errors import invalid

__all__ = [
    "POLICIES",
    "StalenessPolicy",
    "as_staleness_policy",
    "decay",
    "provenance_decay",
    "since_access",
    "superseded",
    "true_staleness",
]

POLICIES: Final = ("none", "decay", "refresh", "provenance", "validity")
"""`none`: nothing is ever stale. `decay`: 1 - exp(-rate * age). `refresh`: the time since the last access, as a share
of `horizon`. `provenance`: decay, the faster the worse the provenance. `validity`: stale is what has ended or was
replaced, however young, and nothing else, however old."""

_RATE: Final = 0.05
_MOST_RATE: Final = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class StalenessPolicy:
    """What counts as stale, and how far a search lets it matter. JSON-able but for `unit`.

    Raises:
        InvalidArgumentError: another name; `rate`, `unit` or `horizon` not above 0; `places` outside 0-1,000;
            `prune_above` outside 0-1.
    """

    name: str = "decay"
    """One of `POLICIES`."""
    rate: float = _RATE
    """lambda of `decay` and `provenance`, per `unit`; .05 is the paper's, whose unit is a step of a task."""
    horizon: float = 100.0
    """`refresh`: units without an access after which a memory is wholly stale; the paper's."""
    unit: timedelta = timedelta(days=1)
    """What times are counted in where they are real times."""
    places: int = 3
    """In a search: no record moves more places than this, up or down."""
    prune_above: float | None = None
    """In sleep: staleness above which a record that is neither pinned nor held goes to the cold tier. `None`: sleep
    only reports. On real conversations pruning by age loses most of what is asked for (benches/results/simulate.md)."""

    def __post_init__(self) -> None:
        as_choice(self.name, "name", POLICIES)
        as_positive(self.rate, "rate", _MOST_RATE)
        as_positive(self.horizon, "horizon", _MOST_RATE)
        unit: Any = self.unit
        if not isinstance(unit, timedelta) or unit <= timedelta(0):
            raise invalid("unit", unit, "a timedelta above 0")
        as_integer(self.places, "places", 0, 1000)
        if self.prune_above is not None:
            as_number(self.prune_above, "prune_above", 0, 1)

    def tracked(
        self,
        ages: ArrayLike,
        *,
        unused: ArrayLike | None = None,
        provenance: ArrayLike | None = None,
        ended: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """s^agent of each memory, 0 (fresh) to 1.

        Args:
            ages: time since each memory was written, in units.
            unused: time since it was last accessed; its age where it never was. By default all ages.
            provenance: pi, 0 (hearsay) to 1 (from the source itself); by default .5 for all.
            ended: whether it holds no longer; by default none has ended.
        """
        known = np.asarray(ages, dtype=np.float64)
        if self.name == "decay":
            return decay(known, self.rate)
        if self.name == "refresh":
            return since_access(known if unused is None else unused, self.horizon)
        if self.name == "provenance":
            return provenance_decay(known, self.rate, 0.5 if provenance is None else provenance)
        if self.name == "validity" and ended is not None:
            return superseded(ended)
        return np.zeros(known.shape)

    def prunable(self, tracked: ArrayLike) -> NDArray[np.bool_]:
        """Which of these are staler than `prune_above`; none where the policy does not prune."""
        values = np.asarray(tracked, dtype=np.float64)
        return np.asarray(values > (np.inf if self.prune_above is None else self.prune_above))


def as_staleness_policy(value: Any, argument: str = "staleness") -> StalenessPolicy:
    """A policy as callers may give it: one of `POLICIES`, or a `StalenessPolicy`."""
    if isinstance(value, StalenessPolicy):
        return value
    if not isinstance(value, str) or value not in POLICIES:
        raise invalid(argument, value, f"{' | '.join(POLICIES)}, or a memspan.StalenessPolicy")
    return StalenessPolicy(name=value)


def true_staleness(ages: ArrayLike, rate: float = _RATE) -> NDArray[np.float64]:
    """s^true = 1 - exp(-rate * age): what a memory has suffered, whatever policy anybody follows (3.1)."""
    return decay(ages, rate)


def decay(ages: ArrayLike, rate: float) -> NDArray[np.float64]:
    """1 - exp(-rate * age) (3.4, decay)."""
    return np.asarray(-np.expm1(-as_positive(rate, "rate", _MOST_RATE) * _elapsed(ages)))


def since_access(unused: ArrayLike, horizon: float) -> NDArray[np.float64]:
    """min(1, unused / horizon) (3.4, refresh; the paper's horizon is 100)."""
    return np.minimum(1.0, _elapsed(unused) / as_positive(horizon, "horizon", _MOST_RATE))


def provenance_decay(ages: ArrayLike, rate: float, provenance: ArrayLike) -> NDArray[np.float64]:
    """1 - exp(-rate * (1.5 - pi) * age): decay modulated by provenance (3.4, provenance).

    The paper does not say how it modulates. Here a memory of middling provenance decays as under `decay`, one from the
    source itself at half that rate, hearsay at one and a half times.
    """
    quality = np.clip(np.asarray(provenance, dtype=np.float64), 0.0, 1.0)
    return decay(np.asarray(ages, dtype=np.float64) * (1.5 - quality), rate)


def superseded(ended: ArrayLike) -> NDArray[np.float64]:
    """1 for what has ended, was replaced or contradicted; else 0. Age plays no part (ours, bi-temporal)."""
    return np.asarray(ended, dtype=bool).astype(np.float64)


def _elapsed(times: ArrayLike) -> NDArray[np.float64]:
    return np.maximum(0.0, np.asarray(times, dtype=np.float64))
