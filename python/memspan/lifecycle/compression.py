"""How far memories are compressed, as pure functions of the target ratio (store-compress-staleness, 3.3).

A ratio is the share of a memory that remains; the target ratio r* is what the caller asks for, the ratio of one memory
what a strategy makes of it. Nominal fidelity is what the paper's model says is left of the information; what is really
left of a text is measured (`memspan.lifecycle.fidelity`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memspan.arguments import as_choice, as_share
from memspan.records import KINDS

__all__ = ["COMPRESSED", "COMPRESSIBLE", "HIERARCHY", "STRATEGIES", "nominal_fidelity", "ratios"]

STRATEGIES: Final = ("none", "uniform", "adaptive", "hierarchical")
"""`none`: r = 1. `uniform`: r = r*. `adaptive`: r = r* (.3 + .7 omega), more of what is important. `hierarchical`: the
same, scaled by the kind, see `HIERARCHY`."""

HIERARCHY: Final[Mapping[str, float]] = MappingProxyType(
    {"episodic": 0.6, "semantic": 0.75, "procedural": 0.9, "resource": 1.0, "vault": 1.0}
)
"""`hierarchical`: what a kind's ratio is multiplied by. The paper only says "type-aware scaling with importance".
Events bear to lose most, facts less, and steps that are to be followed least; pointers and secrets keep their words."""

COMPRESSIBLE: Final = ("episodic", "semantic", "procedural")
"""The kinds that may be compressed: pointers and secrets keep their words."""

COMPRESSED: Final = ("episodic", "semantic")
"""Those that are compressed unless others are asked for: without some of its words a procedure cannot be followed."""

_FACTORS: Final = np.array([HIERARCHY[kind] for kind in KINDS])
_UNJUDGED: Final = 0.5


def ratios(
    strategy: str, target: float, *, importance: ArrayLike | None = None, kinds: ArrayLike | None = None
) -> NDArray[np.float64]:
    """The ratio r of each memory, above 0 and at most 1. O(n).

    Args:
        strategy: one of `STRATEGIES`.
        target: r*, above 0 and at most 1.
        importance: omega of each memory, 0-1; .5 where nobody judged it (NaN), and by default.
        kinds: of each, as positions in `KINDS`; by default all are the first, episodic.

    Raises:
        InvalidArgumentError: another strategy, or r* outside (0, 1].
    """
    as_choice(strategy, "strategy", STRATEGIES)
    wanted = as_share(target, "target")
    omega = np.asarray(_UNJUDGED if importance is None else importance, dtype=np.float64)
    places = np.asarray(0 if kinds is None else kinds, dtype=np.intp)
    omega, places = np.broadcast_arrays(omega, places)
    if strategy == "none":
        return np.ones(omega.shape)
    if strategy == "uniform":
        return np.full(omega.shape, wanted)
    omega = np.clip(np.where(np.isnan(omega), _UNJUDGED, omega), 0.0, 1.0)
    adaptive = wanted * (0.3 + 0.7 * omega)
    return np.asarray(adaptive if strategy == "adaptive" else adaptive * _FACTORS[places])


def nominal_fidelity(ratio: ArrayLike) -> NDArray[np.float64]:
    """f = .6 + .4 r, and 1 for what is not compressed. The paper gives this for `uniform`, and no other formula: here
    it holds for the ratio that any strategy arrives at."""
    return np.asarray(0.6 + 0.4 * np.asarray(ratio, dtype=np.float64))
