"""Examples made up from a ranking that is known, so that learning can be seen to find it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from memspan.fitting.examples import Example
from memspan.ranking import CONDITIONS, FEATURES, Condition

Planted = Mapping[str, Mapping[str, float]]


def planted_row(planted: Planted, conditions: Sequence[str]) -> np.ndarray:
    row = np.zeros(len(FEATURES))
    for name in ("always", *conditions):
        for feature, weight in planted.get(name, {}).items():
            row[FEATURES.index(feature)] += weight
    return row


def make_examples(
    planted: Planted,
    *,
    count: int = 80,
    candidates: int = 25,
    seed: int = 1,
    conditions: Sequence[Condition] = CONDITIONS[:1],
    data_set: str = "made-up",
    conversations: int = 6,
) -> list[Example]:
    """The evidence of each question are the one or two candidates that the planted weights put first."""
    rng = np.random.default_rng(seed)
    examples = []
    for number in range(count):
        held = tuple(name for name in conditions if rng.random() < 0.4)
        rows = rng.normal(size=(candidates, len(FEATURES))).astype(np.float32)
        rows[:, FEATURES.index("asks")] = rng.integers(2, size=candidates)  # not all features are alike
        rows[:, FEATURES.index("length")] *= 100
        scores = rows @ planted_row(planted, held)
        relevant = np.zeros(candidates, np.bool_)
        relevant[np.argsort(-scores)[: 1 + number % 2]] = True
        examples.append(
            Example(
                data_set=data_set,
                conversation=f"c{number % conversations}",
                category=f"k{number % 3}",
                features=rows,
                relevant=relevant,
                evidence=int(relevant.sum()),
                conditions=held,
            )
        )
    return examples


PLANTED: Planted = {
    "always": {"cosine_z": 2.0, "bm25_z": 1.0, "short_text": -1.0},
    "when": {"hinted": 3.0, "cosine_z": -1.0},
}
