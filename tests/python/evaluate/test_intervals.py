"""Bootstrap intervals: the same every time, and as wide as they should be."""

from __future__ import annotations

import numpy as np
import pytest

from memspan.evaluate.intervals import Estimate, estimate_means


def test_the_same_rows_give_the_same_intervals():
    values = np.random.default_rng(1).random((57, 3))
    assert estimate_means(values) == estimate_means(values.copy())


def test_a_constant_has_no_width():
    for estimate in estimate_means(np.full((9, 2), 0.25)):
        assert (estimate.mean, estimate.low, estimate.high) == pytest.approx((0.25, 0.25, 0.25))


def test_one_row():
    assert estimate_means(np.array([[1.0, 0.0]])) == [Estimate(1, 1, 1), Estimate(0, 0, 0)]


def test_width_is_that_of_the_normal_approximation():
    hits = np.zeros((400, 1))
    hits[:120] = 1
    estimate = estimate_means(hits)[0]
    half = 1.96 * np.sqrt(0.3 * 0.7 / 400)
    assert estimate.mean == pytest.approx(0.3)
    assert estimate.low == pytest.approx(0.3 - half, abs=0.006)
    assert estimate.high == pytest.approx(0.3 + half, abs=0.006)


def test_a_columns_interval_does_not_depend_on_the_others():
    values = np.random.default_rng(2).random((31, 4))
    alone, together = estimate_means(values[:, :1])[0], estimate_means(values)[0]
    assert (alone.mean, alone.low, alone.high) == pytest.approx((together.mean, together.low, together.high))
