"""One way to manage a memory, as the experiments compare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memspan.arguments import as_choice, as_integer, as_share
from memspan.lifecycle.allocations import DEFAULT_ALLOCATION, apportioned, checked_shares
from memspan.lifecycle.compression import STRATEGIES
from memspan.lifecycle.quotas import EVICTIONS
from memspan.lifecycle.staleness import StalenessPolicy

from .world import KINDS, World

__all__ = ["Condition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """An agent: what it keeps, how it compresses, what it holds for stale."""

    name: str
    allocation: str | Mapping[str, float] = DEFAULT_ALLOCATION
    """Shares of the capacity by kind, as for `memspan.Quotas`; and, but for `World.arriving`, how often memories of
    each kind are written."""
    capacity: int | None = None
    """`None` for the world's."""
    steps: int = 300
    compression: str | None = None
    """`None` for the world's."""
    ratio: float | None = None
    """The target ratio r*; `None` for the world's."""
    staleness: StalenessPolicy | None = None
    """`None` for the world's."""
    prunes: bool = True
    """Whether what it holds for stale is thrown away now and then."""
    eviction: str | None = None
    """`oldest` or `value`; `None` for the world's."""

    def __post_init__(self) -> None:
        checked_shares(self.allocation, "allocation")
        if self.capacity is not None:
            as_integer(self.capacity, "capacity", len(KINDS), 1 << 20)
        as_integer(self.steps, "steps", 1, 1 << 20)
        if self.compression is not None:
            as_choice(self.compression, "compression", STRATEGIES)
        if self.ratio is not None:
            as_share(self.ratio, "ratio")
        if self.eviction is not None:
            as_choice(self.eviction, "eviction", EVICTIONS)

    @property
    def shares(self) -> Mapping[str, float]:
        """Of the capacity, by kind."""
        return checked_shares(self.allocation, "allocation")

    def capacities(self, world: World) -> dict[str, int]:
        """Slots of each kind; together the capacity, at least one each (3.2)."""
        return apportioned(self.capacity or world.capacity, self.shares)
