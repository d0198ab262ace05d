"""The verdict on two rankings of the same questions."""

from __future__ import annotations

import numpy as np
import pytest

from memspan import errors
from memspan.fitting.verdict import FEWEST_TOLD, compared

COLUMNS = 6


def figures(values: list[float]) -> np.ndarray:
    return np.tile(np.array(values)[:, None], (1, COLUMNS))


def test_the_verdict_follows_the_interval() -> None:
    low, high = figures([0.2, 0.4] * 20), figures([0.4, 0.7] * 20)
    better = compared(low, high)
    assert better.finding == "better"
    assert better.questions == 40
    assert list(better.figures) == ["R@1", "R@5", "R@10", "R@20", "R@50", "MRR"]
    assert better.figures["MRR"].mean == pytest.approx(0.25)
    assert compared(high, low).finding == "worse"
    mixed = figures([0.7, 0.2] * 20)
    assert compared(figures([0.2, 0.7] * 20), mixed).finding == "no difference that can be shown"
    assert compared(low, low).finding == "no difference that can be shown"


def test_of_few_questions_nothing_is_said() -> None:
    few = FEWEST_TOLD - 1
    found = compared(figures([0.1] * few), figures([0.9] * few))
    assert found.finding == "too few questions to tell"
    assert found.figures["MRR"].low > 0


def test_only_figures_of_the_same_questions_are_compared() -> None:
    for before, after in (([0.1], [0.1, 0.2]), ([], [])):
        with pytest.raises(errors.InvalidArgumentError, match="after"):
            compared(figures(before), figures(after))
