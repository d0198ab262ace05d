"""What the paper's simulator is made of, and everything that its text leaves open, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memspan.arguments import as_choice, as_integer, as_number, as_share
from memspan.errors import invalid
from memspan.lifecycle.allocations import SHARED_KINDS as KINDS
from memspan.lifecycle.compression import STRATEGIES
from memspan.lifecycle.quotas import EVICTIONS
from memspan.lifecycle.staleness import POLICIES

__all__ = ["KINDS", "TASKS", "World"]

TASKS: Final = ("recall", "reason", "execute", "plan", "verify")
"""The five types of task (3.5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Tasks, memories and judgement. What the paper states has no field here; each field is something it leaves open,
    with our choice and its reason. The claims are looked at again in other worlds (`memspan.simulate.sensitivity`).
    """

    demand: tuple[float, float, float, float, float] = (0.25, 0.20, 0.25, 0.15, 0.15)
    """How often each of `TASKS` comes. The paper: "a fixed distribution", with "stronger demand for episodic and
    semantic memory". With `primary` this asks for 40 % episodic, 35 % semantic and 25 % procedural memories."""
    primary: tuple[int, int, int, int, int] = (0, 1, 2, 1, 0)
    """The kind that each of `TASKS` requires, as positions in `KINDS`."""
    per_step: int = 1
    """Memories written at each step. The paper's memory pressure (.83 at capacity 50, .67 at 100) is
    1 - capacity / 300, which is one a step."""
    retrieved: int = 5
    """Memories that a decision rests on."""
    importance: tuple[float, float] = (2.0, 2.0)
    """omega: parameters of a beta distribution."""
    provenance: tuple[float, float] = (0.5, 1.0)
    """pi: drawn evenly between these."""
    weights: tuple[float, float, float] = (0.3, 0.35, 0.35)
    """Of a memory's kind being the required one, its importance, and its tracked freshness, when memories are chosen
    (3.1: "used for retrieval scoring"). A weight of the kind near 1 would make the kinds of the store indifferent."""
    multiplied: bool = False
    """Whether freshness multiplies the rest of the score instead of being added."""
    prune_above: float = 0.85
    """Tracked staleness above which a memory is pruned. With .85, every 20 steps, mean true staleness swings between
    .55 and .67 under decay; figure 3 has .55-.70."""
    prune_every: int = 20
    """Steps from one pruning to the next."""
    difficulty: tuple[float, float] = (0.0, 1.0)
    """Of a task: drawn evenly between these."""
    hardness: float = 0.2
    """Quality is scaled by 1 - hardness x difficulty."""
    replaced: float | None = None
    """`None`: memories go stale by age, as in the paper. A share: they do not age, but each new memory replaces, with
    this probability, an older one of its kind, which is wholly stale from then on (our addition)."""
    noticed: float = 0.8
    """Of such replacements, the share that the policy `validity` notices."""
    arriving: tuple[float, float, float] | None = None
    """How often memories of each kind come. `None`: in the shares of each allocation, so that these count even where
    no quota is ever full; the paper only says that quotas enforce them "structurally, not just probabilistically"."""
    capacity: int = 500
    """Where an experiment does not vary it; the paper's example (3.2). 300 memories never fill it."""
    compression: str = "uniform"
    """Where an experiment does not say. The paper's figures for that (4.5, .632) are those of `uniform` (4.2)."""
    eviction: str = "oldest"
    """Where an experiment does not say: `oldest` (3.2) or `value` (4.5, "retains the highest-value entries")."""
    ratio: float = 0.5
    """Where an experiment does not vary it: r*. The paper gives none."""
    staleness: str = "decay"
    """Where an experiment does not say: the policy of a managed agent. The paper calls decay the best (4.3)."""
    decides_first: bool = False
    """Whether an agent decides before it writes what comes by at a step; its first decision then rests on nothing."""

    def __post_init__(self) -> None:
        if abs(sum(self.demand) - 1) > 1e-9 or min(self.demand) < 0:
            raise invalid("demand", self.demand, "shares that sum to 1")
        for kind in self.primary:
            as_integer(kind, "primary", 0, len(KINDS) - 1)
        if self.arriving is not None and (abs(sum(self.arriving) - 1) > 1e-9 or min(self.arriving) < 0):
            raise invalid("arriving", self.arriving, "shares that sum to 1")
        as_integer(self.per_step, "per_step", 1, 100)
        as_integer(self.retrieved, "retrieved", 1, 1000)
        as_share(self.prune_above, "prune_above")
        as_integer(self.prune_every, "prune_every", 1, 1 << 20)
        as_number(self.hardness, "hardness", 0, 1)
        if self.replaced is not None:
            as_number(self.replaced, "replaced", 0, 1)
        as_number(self.noticed, "noticed", 0, 1)
        as_integer(self.capacity, "capacity", len(KINDS), 1 << 20)
        as_choice(self.compression, "compression", STRATEGIES)
        as_choice(self.eviction, "eviction", EVICTIONS)
        as_share(self.ratio, "ratio")
        as_choice(self.staleness, "staleness", POLICIES)
