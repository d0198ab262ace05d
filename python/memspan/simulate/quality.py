"""Decision quality (store-compress-staleness, 3.5)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["WEIGHTS", "decision_quality"]

WEIGHTS: Final = {
    "alignment": 0.25,
    "fidelity": 0.20,
    "freshness": 0.25,
    "provenance": 0.15,
    "coverage": 0.15,
}
"""Type alignment, information fidelity, true freshness, provenance, type coverage."""


def decision_quality(
    chosen: NDArray[np.bool_],
    *,
    kinds: NDArray[np.intp],
    primary: NDArray[np.intp],
    fidelity: NDArray[np.float64],
    true_staleness: NDArray[np.float64],
    provenance: NDArray[np.float64],
    scale: NDArray[np.float64],
    of_kinds: int = 3,
) -> NDArray[np.float64]:
    """The quality of one decision a trial, 0-1: means over the memories that it rests on, weighted, and scaled by the
    task's difficulty. Without any memory it is 0. O(trials * memories).

    Args:
        chosen: which memories each decision rests on, shape (trials, memories), as `kinds`, `fidelity`,
            `true_staleness` and `provenance` have it.
        primary, scale: of the tasks, shape (trials,).
    """
    counts = np.maximum(1, chosen.sum(axis=1))

    def mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.where(chosen, values, 0.0).sum(axis=1) / counts)

    covered = np.stack([(chosen & (kinds == kind)).any(axis=1) for kind in range(of_kinds)])
    parts = {
        "alignment": mean((kinds == primary[:, None]).astype(np.float64)),
        "fidelity": mean(fidelity),
        "freshness": np.where(chosen.any(axis=1), 1 - mean(true_staleness), 0.0),
        "provenance": mean(provenance),
        "coverage": covered.mean(axis=0),
    }
    return np.asarray(scale * sum(WEIGHTS[name] * values for name, values in parts.items()))
