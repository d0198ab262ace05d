"""One way to manage a memory, as the experiments compare them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memspan.arguments import as_choice, as_integer, as_share
from memspan.errors import invalid
from memspan.lifecycle.compression import STRATEGIES
from memspan.lifecycle.staleness import StalenessPolicy

from .world import ALLOCATIONS, KINDS

__all__ = ["Condition"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """An agent: what it keeps, how it compresses, what it holds for stale."""

    name: str
    allocation: tuple[float, float, float] = ALLOCATIONS["balanced-episodic"]
    """Shares of the capacity by kind, and how often memories of each kind are written."""
    capacity: int = 500
    steps: int = 300
    compression: str = "uniform"
    ratio: float = 0.5
    """The target ratio r*."""
    staleness: StalenessPolicy = field(default_factory=StalenessPolicy)
    prunes: bool = True
    """Whether what it holds for stale is thrown away now and then."""
    eviction: str | None = None
    """`oldest` or `value`; `None` for the world's."""

    def __post_init__(self) -> None:
        shares: Sequence[float] = self.allocation
        if len(shares) != len(KINDS) or min(shares) <= 0 or abs(sum(shares) - 1) > 1e-6:
            raise invalid("allocation", shares, "three shares above 0 that sum to 1")
        as_integer(self.capacity, "capacity", 3, 1 << 20)
        as_integer(self.steps, "steps", 1, 1 << 20)
        as_choice(self.compression, "compression", STRATEGIES)
        as_share(self.ratio, "ratio")
        if self.eviction is not None:
            as_choice(self.eviction, "eviction", ("oldest", "value"))

    def capacities(self) -> tuple[int, int, int]:
        """Slots of each kind; together the capacity, at least one each (3.2). The last fractions go to the kinds that
        lost most by rounding down."""
        exact = [share * self.capacity / sum(self.allocation) for share in self.allocation]
        whole = [max(1, int(slots)) for slots in exact]
        by_loss = sorted(range(len(exact)), key=lambda kind: whole[kind] - exact[kind])
        for kind in by_loss[: max(0, self.capacity - sum(whole))]:
            whole[kind] += 1
        while sum(whole) > self.capacity:
            whole[whole.index(max(whole))] -= 1
        return whole[0], whole[1], whole[2]
