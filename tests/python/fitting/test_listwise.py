"""The loss that rankings are learned by, and its slope."""

from __future__ import annotations

import numpy as np
import pytest

from memspan.fitting.listwise import Lists

RELEVANT = [np.array([True, False, False]), np.array([False, True, True, False]), np.array([True, True])]


def test_the_loss_by_hand() -> None:
    scores = np.log(np.array([1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 6.0, 5.0, 7.0]))
    first = -np.log(1 / (1 + 5))
    second = -(np.log(1 / (1 + 10)) + np.log(2 / (2 + 10))) / 2
    assert Lists.of(RELEVANT).loss(scores)[0] == pytest.approx(
        first + second
    )  # the third has nothing to beat


def test_the_slope_is_that_of_the_loss() -> None:
    lists, rng = Lists.of(RELEVANT), np.random.default_rng(0)
    for _ in range(10):
        scores = rng.normal(size=9) * 3
        slope = lists.loss(scores)[1]
        for place in range(9):
            step = np.zeros(9)
            step[place] = 1e-5
            measured = (lists.loss(scores + step)[0] - lists.loss(scores - step)[0]) / 2e-5
            assert slope[place] == pytest.approx(measured, abs=1e-4)


def test_a_shift_of_a_questions_scores_changes_nothing() -> None:
    lists, scores = Lists.of(RELEVANT), np.arange(9.0)
    shifted = scores + np.repeat([100.0, -7.0, 1e6], [3, 4, 2])
    assert lists.loss(shifted)[0] == pytest.approx(lists.loss(scores)[0], rel=1e-6)
