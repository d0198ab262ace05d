"""The study of "Agent Memory: What to Store, How to Compress, and Prevent Staleness", run again.

The simulator follows the paper's text and drives this package's own policies: the native quotas of `memspan.Index`, and
the functions of `memspan.lifecycle.staleness` and `memspan.lifecycle.compression`. What the text leaves open is in one
place (`World`), and `sensitivity` tells which claims depend on it. `memspan.simulate.real` asks the same questions of
real conversations. numpy is enough to simulate; tests and figures take the extra `simulate`.
"""

from __future__ import annotations

from .claims import CLAIMS, Claim, Verdict, verdicts
from .condition import Condition
from .experiments import EXPERIMENTS, Experiment, run_experiment, simulate
from .run import Outcome
from .sensitivity import READINGS, WORLDS, sensitivity
from .world import World

__all__ = [
    "CLAIMS",
    "EXPERIMENTS",
    "READINGS",
    "WORLDS",
    "Claim",
    "Condition",
    "Experiment",
    "Outcome",
    "Verdict",
    "World",
    "run_experiment",
    "sensitivity",
    "simulate",
    "verdicts",
]
