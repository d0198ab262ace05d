"""How long questions took, by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from memspan.remember.searching.recall import Timings

__all__ = ["Latency", "latencies", "latency_of"]


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds of one stage over all questions."""

    p50: float
    p95: float
    mean: float


def latencies(timings: Sequence[Timings]) -> Mapping[str, Latency]:
    """Every stage of `Timings` by name, and their `total`; empty without questions."""
    if not timings:
        return {}
    names = [*(field.name for field in fields(Timings)), "total"]
    return {name: latency_of([getattr(each, name) for each in timings]) for name in names}


def latency_of(seconds: Sequence[float]) -> Latency:
    """The latency of one stage; at least one question."""
    p50, p95 = np.percentile(seconds, (50, 95))
    return Latency(float(p50), float(p95), float(np.mean(seconds)))
