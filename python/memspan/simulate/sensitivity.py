"""Which claims depend on what the paper leaves open: the same questions in other worlds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from .claims import CLAIMS, Verdict, verdicts
from .experiments import simulate
from .keeping import NativeKeeper
from .run import MakeKeeper
from .world import World

__all__ = ["READINGS", "WORLDS", "sensitivity"]

_ALIKE: Final = (1 / 3, 1 / 3, 1 / 3)

WORLDS: Final[Mapping[str, World]] = MappingProxyType(
    {
        "as chosen": World(),
        "tasks ask for all kinds alike": World(demand=(1 / 3, 0.0, 1 / 3, 1 / 3, 0.0)),
        "tasks ask for events first": World(demand=(0.40, 0.20, 0.15, 0.10, 0.15)),
        "tasks ask for procedures first": World(demand=(0.15, 0.15, 0.50, 0.10, 0.10)),
        "the kind decides what is chosen": World(weights=(0.7, 0.15, 0.15)),
        "the kind hardly counts": World(weights=(0.1, 0.45, 0.45)),
        "freshness counts little": World(weights=(0.45, 0.45, 0.1)),
        "freshness is not looked at": World(weights=(0.5, 0.5, 0.0)),
        "importance is not looked at": World(weights=(0.5, 0.0, 0.5)),
        "freshness multiplies": World(weights=(0.5, 0.5, 0.0), multiplied=True),
        "one memory a decision": World(retrieved=1),
        "three memories a decision": World(retrieved=3),
        "ten memories a decision": World(retrieved=10),
        "importance even": World(importance=(1.0, 1.0)),
        "importance low": World(importance=(2.0, 5.0)),
        "provenance 0-1": World(provenance=(0.0, 1.0)),
        "prunes early (.7)": World(prune_above=0.7),
        "prunes late (.95)": World(prune_above=0.95),
        "never prunes": World(prune_above=1.0),
        "difficulty is not looked at": World(hardness=0.0),
        "difficulty counts half": World(hardness=0.5),
        "kinds come alike, whatever the shares": World(arriving=_ALIKE),
        "50 slots": World(capacity=50),
        "nothing is compressed": World(compression="none"),
        "the least valuable is evicted": World(eviction="value"),
        "three memories a step": World(per_step=3),
        "r* = .2": World(ratio=0.2),
        "r* = .8": World(ratio=0.8),
        "agents go by the last access": World(staleness="refresh"),
        "agents go by provenance": World(staleness="provenance"),
        "agents track nothing": World(staleness="none"),
        "decides before it writes": World(decides_first=True),
    }
)
"""Each changes one choice of `World`; `per_step` also changes what the paper states of the memory pressure."""

READINGS: Final[Mapping[str, World]] = MappingProxyType(
    {
        "A: the kind first, freshness little, importance low, r* = .8": World(
            weights=(0.7, 0.2, 0.1), importance=(2.0, 5.0), ratio=0.8
        ),
        "B: freshness little, importance low, r* = .8, agents go by the last access": World(
            weights=(0.45, 0.45, 0.1), importance=(2.0, 5.0), ratio=0.8, staleness="refresh"
        ),
        "C: freshness is not looked at, r* = .2": World(weights=(0.5, 0.5, 0.0), ratio=0.2),
        "D: kinds come alike, 50 slots": World(arriving=_ALIKE, capacity=50),
        "E: kinds come alike, 20 slots": World(arriving=_ALIKE, capacity=20),
    }
)
"""Each changes several choices at once: what claims that do not hold as we chose were tried with besides."""

_ALL: Final[Mapping[str, World]] = MappingProxyType({**WORLDS, **READINGS})


def sensitivity(
    *,
    worlds: Mapping[str, World] = _ALL,
    trials: int = 8,
    seed: int = 1,
    keeper: MakeKeeper = NativeKeeper,
    advance: Callable[[int], object] = lambda count: None,
) -> dict[str, dict[str, Verdict]]:
    """By claim and world, whether the claim holds there. Costs a simulation a world.

    Args:
        worlds: by name; `WORLDS` and `READINGS` by default.
        advance: is told each world that is done.
    """
    needed = tuple(dict.fromkeys(claim.needs for claim in CLAIMS))
    found: dict[str, dict[str, Verdict]] = {claim.name: {} for claim in CLAIMS}
    for name, world in worlds.items():
        outcomes = simulate(needed, world=world, trials=trials, seed=seed, keeper=keeper)
        for claim, verdict in verdicts(outcomes).items():
            found[claim][name] = verdict
        advance(1)
    return found
