"""The look at tokens: of the 64 best records of a ranking."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memspan.ranking.late import LOOKED_AT, TokenBlocks, max_similarities
from memspan.ranking.late_ranker import LOOKED_AT_FEATURES, LateWeights
from memspan.ranking.ranker import FEATURES

DIM = 96
RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("tokens", [16, 38, 64])
def test_max_similarities(benchmark: Any, tokens: int) -> None:
    """A question of ten tokens; LoCoMo's turns have 38."""
    question = RANDOM.normal(size=(10, DIM)).astype(np.float32)
    records = [TokenBlocks(RANDOM.integers(-127, 128, (tokens, DIM), np.int8)) for _ in range(LOOKED_AT)]
    assert benchmark(max_similarities, question, records).shape == (LOOKED_AT,)


def test_token_blocks(benchmark: Any) -> None:
    rows = RANDOM.integers(-127, 128, (38, DIM), np.int8)
    assert len(benchmark(TokenBlocks, rows)) == 38


def test_weighing(benchmark: Any) -> None:
    weights = LateWeights(RANDOM.normal(size=len(LOOKED_AT_FEATURES)).astype(np.float32))
    features = RANDOM.normal(size=(LOOKED_AT, len(FEATURES))).astype(np.float32)
    said = RANDOM.random(LOOKED_AT, dtype=np.float32)
    scores = RANDOM.normal(size=LOOKED_AT)
    assert benchmark(weights.added, scores, features, said).shape == (LOOKED_AT,)
