"""One condition over all its trials: memories come in, decisions are made, stale ones are pruned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.lifecycle.compression import nominal_fidelity, ratios
from memspan.lifecycle.staleness import StalenessPolicy, superseded, true_staleness

from .condition import Condition
from .keeping import Keeper, NativeKeeper
from .quality import decision_quality
from .tasks import Arrivals, Tasks
from .world import KINDS, World

__all__ = ["CONTROL_STEPS", "END_STEPS", "MakeKeeper", "Outcome", "run_condition"]

CONTROL_STEPS: Final = 100
END_STEPS: Final = 20

MakeKeeper: TypeAlias = Callable[[], Keeper]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one condition came to; arrays of shape (trials, steps), taken after each step's decision."""

    condition: Condition
    quality: NDArray[np.float64]
    true_staleness: NDArray[np.float64]
    """Mean over the memories kept."""
    tracked_staleness: NDArray[np.float64]
    size: NDArray[np.intp]
    """Memories kept."""
    stored: NDArray[np.float64]
    """Mean ratio of the memories kept: what they take up."""
    fidelity: NDArray[np.float64]
    """Mean nominal fidelity of the memories written, shape (trials,)."""
    written: int
    """Memories of a trial."""
    evicted: NDArray[np.float64]
    """Share of the memories written that quotas sent away, shape (trials,)."""
    capacity: int
    """Slots of all kinds together."""

    @property
    def pressure(self) -> float:
        """Memory pressure: 1 - capacity / memories written, at least 0. What quotas would send away if nothing else
        took memories; `evicted` is what they did send."""
        return max(0.0, 1 - self.capacity / self.written)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Mean quality of each trial."""
        return np.asarray(self.quality.mean(axis=1))

    @property
    def at_end(self) -> float:
        """Mean quality over the last `END_STEPS`: one period of pruning."""
        return float(self.quality[:, -END_STEPS:].mean())

    @property
    def control(self) -> float:
        """Staleness control: 1 - the mean true staleness of what is kept, over the last `CONTROL_STEPS` and trials. The
        paper does not define it; its .082 of the unmanaged agent is that of these steps (.219 would be that of all)."""
        return float(1 - self.true_staleness[:, -CONTROL_STEPS:].mean())


def run_condition(
    world: World,
    condition: Condition,
    tasks: Tasks,
    arrivals: Arrivals,
    keeper: MakeKeeper = NativeKeeper,
) -> Outcome:
    """Let an agent work through the tasks of every trial. Trials are users of one index, so that steps are arrays.

    At each step the agent writes what came by, decides with the best of what it has, and prunes when it is time.
    O(trials * steps * memories).
    """
    trials, steps = tasks.primary.shape[0], condition.steps
    kept = _Kept(world, condition, arrivals, keeper())
    quality = np.zeros((trials, steps))
    true, tracked, stored = np.zeros_like(quality), np.zeros_like(quality), np.zeros_like(quality)
    size = np.zeros((trials, steps), dtype=np.intp)
    for step in range(steps):
        if not world.decides_first:
            kept.write(step)
        seen = kept.seen(step)
        stale, believed = kept.true_staleness(step), kept.tracked(step)
        chosen = kept.best(believed, tasks.primary[:, step])
        quality[:, step] = decision_quality(
            chosen,
            kinds=kept.kinds[:, seen],
            primary=tasks.primary[:, step],
            fidelity=kept.fidelity[:, seen],
            true_staleness=stale,
            provenance=kept.provenance[:, seen],
            scale=tasks.scale[:, step],
        )
        kept.access(chosen, step)
        if world.decides_first:
            kept.write(step)
        true[:, step], tracked[:, step] = kept.mean(stale), kept.mean(believed)
        stored[:, step], size[:, step] = kept.mean(kept.ratio[:, seen]), kept.alive.sum(axis=1)
        if condition.prunes and (step + 1) % world.prune_every == 0:
            kept.prune(kept.prunable(believed))
    return Outcome(
        condition,
        quality,
        true,
        tracked,
        size,
        stored,
        kept.fidelity.mean(axis=1),
        arrivals.kinds.shape[1],
        kept.evicted / arrivals.kinds.shape[1],
        condition.capacity or world.capacity,
    )


class _Kept:
    """The memories of all trials as arrays of shape (trials, memories), those that are there marked `alive`.

    What a step gives back or takes covers the memories written so far (`seen`): later ones cannot matter.
    """

    def __init__(self, world: World, condition: Condition, arrivals: Arrivals, keeper: Keeper) -> None:
        self._world = world
        policy = condition.staleness or StalenessPolicy(name=world.staleness)
        self._policy = replace(policy, prune_above=world.prune_above)
        self._keeper = keeper
        self._arrivals = arrivals
        self._users = [f"trial {trial}" for trial in range(len(arrivals.kinds))]
        keeper.limit(condition.capacities(world), condition.eviction or world.eviction)
        self.kinds = arrivals.kinds
        self.provenance = arrivals.provenance
        self.ratio = ratios(
            condition.compression or world.compression,
            condition.ratio or world.ratio,
            importance=arrivals.importance,
            kinds=arrivals.kinds,
        )
        self.fidelity = nominal_fidelity(self.ratio)
        self.alive = np.zeros(self.kinds.shape, dtype=bool)
        self.evicted = np.zeros(len(self.kinds), dtype=np.intp)
        self._born = np.repeat(np.arange(condition.steps), world.per_step)
        self._accessed = np.tile(self._born.astype(np.float64), (len(self.kinds), 1))
        self._seen = slice(0, 0)

    def seen(self, step: int) -> slice:
        """The memories written by the end of a step."""
        self._seen = slice(0, (step + 1) * self._world.per_step)
        return self._seen

    def write(self, step: int) -> None:
        """What comes by at a step, one trial after the other; what has to go for it goes."""
        first = step * self._world.per_step
        for position in range(first, first + self._world.per_step):
            for trial, user in enumerate(self._users):
                kind = KINDS[self.kinds[trial, position]]
                weight = float(self._arrivals.importance[trial, position])
                self.alive[trial, position] = True
                for gone in self._keeper.write(user, str(position), step, kind, weight):
                    self.alive[trial, int(gone)] = False
                    self.evicted[trial] += 1

    def true_staleness(self, step: int) -> NDArray[np.float64]:
        """Of every memory: by age, or by what has replaced it."""
        if self._world.replaced is not None:
            return superseded(self._ended())
        ages = step - self._born[self._seen]
        return np.broadcast_to(true_staleness(ages), (len(self._users), len(ages)))

    def tracked(self, step: int) -> NDArray[np.float64]:
        """What the agent holds for stale."""
        ages = step - self._born[self._seen]
        found = self._policy.tracked(
            ages,
            unused=step - self._accessed[:, self._seen],
            provenance=self.provenance[:, self._seen],
            ended=self._ended() & self._arrivals.noticed[:, self._seen],
        )
        return np.broadcast_to(found, (len(self._users), len(ages)))

    def _ended(self) -> NDArray[np.bool_]:
        return np.asarray(self._arrivals.ends[:, self._seen] < self._seen.stop)

    def best(self, believed: NDArray[np.float64], primary: NDArray[np.intp]) -> NDArray[np.bool_]:
        """The memories that each trial's decision rests on; of equal ones the newer."""
        world, seen = self._world, self._seen
        of_kind, of_importance, of_freshness = world.weights
        scores = of_kind * (self.kinds[:, seen] == primary[:, None])
        scores = scores + of_importance * self._arrivals.importance[:, seen]
        fresh = 1 - believed
        scores = scores * fresh if world.multiplied else scores + of_freshness * fresh
        scores = np.where(self.alive[:, seen], scores, -np.inf)
        many = min(world.retrieved, scores.shape[1])
        # From the end: argsort is stable, and the newest stand there.
        order = scores.shape[1] - 1 - np.argsort(-scores[:, ::-1], axis=1, kind="stable")[:, :many]
        chosen = np.zeros(scores.shape, dtype=bool)
        np.put_along_axis(chosen, order, True, axis=1)
        return chosen & self.alive[:, seen]

    def access(self, chosen: NDArray[np.bool_], step: int) -> None:
        """Note what was used."""
        self._accessed[:, self._seen][chosen] = step

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Over the memories kept, by trial."""
        alive = self.alive[:, self._seen]
        return np.asarray(np.where(alive, values, 0.0).sum(axis=1) / np.maximum(1, alive.sum(axis=1)))

    def prunable(self, believed: NDArray[np.float64]) -> NDArray[np.bool_]:
        """What the policy would have go."""
        return self._policy.prunable(believed)

    def prune(self, stale: NDArray[np.bool_]) -> None:
        """Drop what is held for stale."""
        going = self.alive[:, self._seen] & stale
        for trial in np.flatnonzero(going.any(axis=1)):
            ids = [str(position) for position in np.flatnonzero(going[trial])]
            self._keeper.prune(self._users[trial], ids)
        self.alive[:, self._seen] &= ~going
