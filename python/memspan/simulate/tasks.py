"""The tasks of a trial, and the memories that come by, drawn from seeds that say what they are for (3.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .condition import Condition
from .world import KINDS, World

__all__ = ["Arrivals", "Tasks", "draw_arrivals", "draw_tasks"]

_TASKS: Final = 0
_MEMORIES: Final = 1


@dataclass(frozen=True, slots=True)
class Tasks:
    """Of all trials; shape (trials, steps)."""

    primary: NDArray[np.intp]
    """The kind of memory that each requires."""
    scale: NDArray[np.float64]
    """What its difficulty leaves of the quality."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Memories in the order in which they are written; shape (trials, steps * per_step)."""

    kinds: NDArray[np.intp]
    importance: NDArray[np.float64]
    provenance: NDArray[np.float64]
    ends: NDArray[np.float64]
    """The position of the memory that replaces each; infinite for those that nothing replaces."""
    noticed: NDArray[np.bool_]
    """Whether that is noticed."""


def draw_tasks(world: World, seed: int, experiment: int, trials: int, steps: int) -> Tasks:
    """The tasks of an experiment: the same for all its conditions, others for each trial."""
    primary, scale = [], []
    kinds = np.array(world.primary, dtype=np.intp)
    for trial in range(trials):
        random = np.random.default_rng([seed, _TASKS, experiment, trial])
        primary.append(kinds[random.choice(len(kinds), size=steps, p=world.demand)])
        scale.append(1 - world.hardness * random.uniform(*world.difficulty, size=steps))
    return Tasks(np.array(primary), np.array(scale))


def draw_arrivals(
    world: World, condition: Condition, seed: int, experiment: int, number: int, trials: int
) -> Arrivals:
    """The memories of one condition: an independent, deterministic seed for each condition and trial."""
    count = condition.steps * world.per_step
    shares = np.array(world.arriving or [condition.shares[kind] for kind in KINDS])
    shares /= shares.sum()
    kinds, importance, provenance, ends, noticed = [], [], [], [], []
    for trial in range(trials):
        random = np.random.default_rng([seed, _MEMORIES, experiment, number, trial])
        kinds.append(random.choice(len(shares), size=count, p=shares))
        importance.append(random.beta(*world.importance, size=count))
        provenance.append(random.uniform(*world.provenance, size=count))
        ends.append(_ends(random, kinds[-1], world.replaced or 0.0))
        noticed.append(random.random(count) < world.noticed)
    return Arrivals(
        np.array(kinds, dtype=np.intp),
        np.array(importance),
        np.array(provenance),
        np.array(ends),
        np.array(noticed),
    )


def _ends(random: np.random.Generator, kinds: NDArray[np.intp], share: float) -> NDArray[np.float64]:
    """By memory, the position of the later one of its kind that replaces it. O(memories)."""
    ends = np.full(len(kinds), np.inf)
    if share:
        standing: dict[int, list[int]] = {}
        for position, kind in enumerate(kinds.tolist()):
            same = standing.setdefault(kind, [])
            if same and random.random() < share:
                ends[same.pop(int(random.integers(len(same))))] = position
            same.append(position)
    return ends
