"""How often jobs are tried, and how long workers wait."""

from __future__ import annotations

import random
from dataclasses import dataclass

__all__ = ["Pace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Numbers of attempts, and seconds."""

    attempts: int = 5
    """That bring a job no result in a row before it is parked."""
    first_pause: float = 1.0
    """After the first failed attempt."""
    growth: float = 4.0
    """How much longer each further pause is."""
    longest_pause: float = 300.0
    lease: float = 60.0
    """How long a worker counts as alive after its last sign; it gives one four times as often. A worker that is seen
    to be dead, on the same machine, is not waited for."""
    stage: float = 900.0
    """How long a stage may neither ask a model nor get a result. While it asks, the client keeps the time."""
    poll: float = 1.0
    """How often a worker that has nothing to do looks for what other processes added."""

    def pause(self, failures: int) -> float:
        """Before the next attempt after so many failed ones; up to a quarter less, so that jobs that failed together
        do not all come back together."""
        pause = min(self.longest_pause, self.first_pause * self.growth ** (failures - 1))
        return pause * (1 - random.random() / 4)  # noqa: S311
