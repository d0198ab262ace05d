"""The figures of the paper (store-compress-staleness), to lay beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = [
    "ALLOCATION",
    "ANOVA_F",
    "CAPACITY",
    "COMPRESSION",
    "CONTROL",
    "DECAY_STALENESS",
    "HORIZON",
    "INTERVALS",
    "NONE_STALENESS",
    "PRESSURE",
    "SCORES",
    "STALENESS",
]

ALLOCATION: Final[Mapping[str, float]] = {
    "episodic_dominated": 0.572,
    "semantic_dominated": 0.574,
    "procedural_dominated": 0.544,
    "uniform": 0.591,
    "balanced_episodic": 0.594,
    "balanced_semantic": 0.590,
    "optimized": 0.594,
}
"""Table 1."""

COMPRESSION: Final[Mapping[str, float]] = {
    "none": 0.665,
    "uniform": 0.632,
    "adaptive": 0.610,
    "hierarchical": 0.607,
}
"""4.2: means over the ratios swept."""

STALENESS: Final[Mapping[str, float]] = {"none": 0.562, "decay": 0.626}
"""Abstract and 4.3: quality at the end of the horizon. `none` begins at .522; its memories reach .927."""
NONE_STALENESS: Final = 0.927
DECAY_STALENESS: Final = (0.55, 0.70)

SCORES: Final[Mapping[str, float]] = {
    "Baseline (No Mgmt)": 0.605,
    "Episodic + Uniform": 0.574,
    "Semantic + Adaptive": 0.568,
    "Procedural + Adaptive": 0.563,
    "Optimal (Tuned)": 0.562,
    "Balanced + Hierarchical": 0.560,
}
"""Table 2."""
INTERVALS: Final[Mapping[str, tuple[float, float]]] = {
    "Baseline (No Mgmt)": (0.602, 0.608),
    "Episodic + Uniform": (0.571, 0.576),
    "Semantic + Adaptive": (0.566, 0.570),
    "Procedural + Adaptive": (0.560, 0.565),
    "Optimal (Tuned)": (0.559, 0.565),
    "Balanced + Hierarchical": (0.558, 0.563),
}
CONTROL: Final[Mapping[str, float]] = {"Baseline (No Mgmt)": 0.082, "Episodic + Uniform": 0.323}
"""4.4: staleness control; `Outcome.control` says how we read it."""
ANOVA_F: Final = 191.77

PRESSURE: Final[Mapping[int, float]] = {50: 0.83, 100: 0.67}
CAPACITY: Final[Mapping[int, float]] = {
    50: 0.631,
    100: 0.631,
    200: 0.632,
    300: 0.632,
    500: 0.632,
    1000: 0.632,
}
"""4.5: "stabilizing around .632" beyond about 100 slots, "a marginal decrease to .631" below."""
HORIZON: Final[Mapping[int, float]] = {50: 0.638, 500: 0.630}
