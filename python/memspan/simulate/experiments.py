"""The paper's five experiments (4.1-4.5), and one of ours, as conditions to compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from memspan.arguments import as_integer
from memspan.errors import invalid
from memspan.lifecycle.allocations import ALLOCATIONS
from memspan.lifecycle.compression import STRATEGIES
from memspan.lifecycle.staleness import StalenessPolicy

from .condition import Condition
from .keeping import NativeKeeper
from .run import MakeKeeper, Outcome, run_condition
from .tasks import draw_arrivals, draw_tasks
from .world import World

__all__ = ["EXPERIMENTS", "RATIOS", "Experiment", "run_experiment", "simulate"]

RATIOS: Final = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Target ratios of the second experiment. The paper does not list its own; the mean loss of `uniform` in its text is
that of a mean ratio of .6."""
CAPACITIES: Final = (25, 50, 100, 200, 300, 500, 1000)
HORIZONS: Final = (50, 100, 200, 300, 400, 500)
REPLACED: Final = 0.5
"""In the experiment of ours: the share of memories that replace an older one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Conditions that share their tasks."""

    name: str
    number: int
    """Part of the seed."""
    title: str
    conditions: tuple[Condition, ...]
    replaced: float | None = None
    """For `World.replaced`."""


def _policies(names: tuple[str, ...]) -> tuple[Condition, ...]:
    return tuple(
        Condition(name=name, compression="none", staleness=StalenessPolicy(name=name)) for name in names
    )


_NOT_MANAGED: Final = StalenessPolicy(name="none")

EXPERIMENTS: Final[Mapping[str, Experiment]] = {
    each.name: each
    for each in (
        Experiment(
            name="allocation",
            number=1,
            title="Memory type allocation with per-type quotas (table 1, figure 1)",
            conditions=tuple(Condition(name=name, allocation=name) for name in ALLOCATIONS),
        ),
        Experiment(
            name="compression",
            number=2,
            title="Compression strategies by target ratio (figure 2)",
            conditions=tuple(
                Condition(name=f"{strategy} {ratio:g}", compression=strategy, ratio=ratio)
                for strategy in STRATEGIES
                for ratio in RATIOS
            ),
        ),
        Experiment(
            name="staleness",
            number=3,
            title="Staleness policies over the horizon (figure 3)",
            conditions=_policies(("none", "decay", "refresh", "provenance")),
        ),
        Experiment(
            name="agents",
            number=4,
            title="Six agents end to end (table 2, figure 4)",
            conditions=(
                Condition(
                    name="Baseline (No Mgmt)", compression="none", staleness=_NOT_MANAGED, prunes=False
                ),
                Condition(name="Episodic + Uniform", allocation="episodic_dominated", compression="uniform"),
                Condition(
                    name="Semantic + Adaptive",
                    allocation="semantic_dominated",
                    compression="adaptive",
                ),
                Condition(
                    name="Procedural + Adaptive",
                    allocation="procedural_dominated",
                    compression="adaptive",
                ),
                Condition(name="Optimal (Tuned)", allocation="optimized", compression="adaptive"),
                Condition(name="Balanced + Hierarchical", compression="hierarchical"),
            ),
        ),
        Experiment(
            name="capacity",
            number=5,
            title="Scaling: capacity (figure 5, left)",
            conditions=tuple(
                Condition(name=f"{slots} slots", capacity=slots, eviction="value") for slots in CAPACITIES
            ),
        ),
        Experiment(
            name="horizon",
            number=6,
            title="Scaling: task horizon (figure 5, right)",
            conditions=tuple(Condition(name=f"{steps} steps", steps=steps) for steps in HORIZONS),
        ),
        Experiment(
            name="validity",
            number=7,
            title="Ours: memories go stale by being replaced, not by age",
            conditions=_policies(("none", "decay", "refresh", "provenance", "validity")),
            replaced=REPLACED,
        ),
    )
}
"""By name: `allocation`, `compression`, `staleness`, `agents`, `capacity` and `horizon` (the paper's fifth, in two),
and `validity`."""


def run_experiment(
    experiment: Experiment,
    *,
    world: World | None = None,
    trials: int = 20,
    seed: int = 1,
    keeper: MakeKeeper = NativeKeeper,
    advance: Callable[[int], object] = lambda count: None,
) -> list[Outcome]:
    """The outcome of each condition. Tasks are shared across conditions; each condition and trial has a seed of its own
    (3.5, fair comparison), so that the same arguments give the same figures everywhere.

    Args:
        trials: 20 in the paper.
        keeper: who keeps the memories; the native index unless a test wants to compare.
        advance: is told each condition that is done.
    """
    as_integer(trials, "trials", 2, 10_000)
    as_integer(seed, "seed", 0, 2**32 - 1)
    return list(_outcomes(experiment, world or World(), trials, seed, keeper, advance))


def _outcomes(
    experiment: Experiment,
    world: World,
    trials: int,
    seed: int,
    keeper: MakeKeeper,
    advance: Callable[[int], object],
) -> Iterator[Outcome]:
    if experiment.replaced is not None:
        world = replace(world, replaced=experiment.replaced)
    longest = max(condition.steps for condition in experiment.conditions)
    tasks = draw_tasks(world, seed, experiment.number, trials, longest)
    for number, condition in enumerate(experiment.conditions):
        arrivals = draw_arrivals(world, condition, seed, experiment.number, number, trials)
        yield run_condition(world, condition, tasks, arrivals, keeper)
        advance(1)


def simulate(
    names: tuple[str, ...] | None = None,
    *,
    world: World | None = None,
    trials: int = 20,
    seed: int = 1,
    keeper: MakeKeeper = NativeKeeper,
    advance: Callable[[int], object] = lambda count: None,
) -> dict[str, list[Outcome]]:
    """The outcomes of experiments by name; all of them by default.

    Raises:
        InvalidArgumentError: no experiment has that name, or `trials` or `seed` is out of range.
    """
    chosen = tuple(EXPERIMENTS) if names is None else names
    for name in chosen:
        if name not in EXPERIMENTS:
            raise invalid("names", name, ", ".join(EXPERIMENTS))
    return {
        name: run_experiment(
            EXPERIMENTS[name], world=world, trials=trials, seed=seed, keeper=keeper, advance=advance
        )
        for name in chosen
    }
