"""What counts as stale, and what it may do to a ranking."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.errors import InvalidArgumentError
from memspan.lifecycle.reordering import bounded_order
from memspan.lifecycle.staleness import (
    POLICIES,
    StalenessPolicy,
    as_staleness_policy,
    decay,
    provenance_decay,
    since_access,
    superseded,
    true_staleness,
)

times = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20)
shares = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_decay_is_the_formula_of_the_paper() -> None:
    found = decay([0, 1, 20, 100], 0.05)
    assert found == pytest.approx([0, 1 - np.exp(-0.05), 1 - np.exp(-1), 1 - np.exp(-5)])


def test_refresh_is_a_share_of_the_horizon() -> None:
    assert since_access([0, 25, 100, 250], 100).tolist() == [0, 0.25, 1, 1]


def test_provenance_slows_decay_down_or_speeds_it_up() -> None:
    hearsay, middling, source = provenance_decay([30, 30, 30], 0.05, [0, 0.5, 1]).tolist()
    assert hearsay > middling > source
    assert middling == pytest.approx(decay(30, 0.05).item())


def test_validity_looks_at_what_ended_and_not_at_age() -> None:
    policy = StalenessPolicy(name="validity")
    assert policy.tracked([0, 1e9], ended=[True, False]).tolist() == [1, 0]
    assert policy.tracked([0, 1e9]).tolist() == [0, 0]
    assert superseded([1, 0]).tolist() == [1, 0]


def test_true_and_tracked_staleness_are_separate() -> None:
    ages = np.array([0.0, 50.0])
    assert StalenessPolicy(name="none").tracked(ages).tolist() == [0, 0]
    assert true_staleness(ages)[1] > 0.9


@pytest.mark.parametrize("name", POLICIES)
@PROFILE
@given(ages=times)
def test_staleness_is_a_share_and_a_clock_that_goes_backwards_gives_0(name: str, ages: list[float]) -> None:
    found = StalenessPolicy(name=name).tracked(ages, unused=ages, provenance=np.full(len(ages), 0.3))
    assert found.shape == (len(ages),)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[np.array(ages) <= 0] == 0).all()


@pytest.mark.parametrize("name", ["decay", "refresh", "provenance"])
@PROFILE
@given(ages=times)
def test_older_is_never_fresher(name: str, ages: list[float]) -> None:
    found = StalenessPolicy(name=name).tracked(sorted(ages))
    assert (np.diff(found) >= 0).all()


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "ebbinghaus"},
        {"name": 3},
        {"rate": 0},
        {"rate": -0.1},
        {"rate": float("nan")},
        {"rate": True},
        {"horizon": 0},
        {"horizon": -1},
        {"unit": timedelta(0)},
        {"unit": 86400},
        {"places": -1},
        {"places": 1.5},
        {"prune_above": 1.1},
    ],
)
def test_bad_settings_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=next(iter(arguments))):
        StalenessPolicy(**arguments)


@pytest.mark.parametrize("rate", [0, -1])
def test_a_rate_that_is_not_above_0_is_refused_by_the_functions_too(rate: float) -> None:
    for call in (decay, true_staleness):
        with pytest.raises(InvalidArgumentError, match="rate"):
            call([1.0], rate)
    with pytest.raises(InvalidArgumentError, match="rate"):
        provenance_decay([1.0], rate, 0.5)
    with pytest.raises(InvalidArgumentError, match="horizon"):
        since_access([1.0], rate)


def test_a_policy_is_named_or_given() -> None:
    own = StalenessPolicy(name="refresh", horizon=3)
    assert as_staleness_policy(own) is own
    assert as_staleness_policy("decay") == StalenessPolicy(name="decay")
    for value in ("age", None, True, 0.05):
        with pytest.raises(InvalidArgumentError, match="none | decay"):
            as_staleness_policy(value)


@PROFILE
@given(shares, st.integers(0, 40))
def test_the_new_order_is_bounded(staleness: list[float], places: int) -> None:
    order = bounded_order(staleness, places)
    assert sorted(order) == list(range(len(staleness)))
    assert all(abs(now - before) <= places for now, before in enumerate(order))


@PROFILE
@given(shares)
def test_with_no_places_nothing_moves(staleness: list[float]) -> None:
    assert bounded_order(staleness, 0) == list(range(len(staleness)))


def test_a_stale_first_sinks_by_all_its_places_below_fresh_ones() -> None:
    assert bounded_order([1, 0, 0, 0, 0], 3) == [1, 2, 3, 0, 4]
    assert bounded_order([1, 1, 1], 3) == [0, 1, 2]
    assert bounded_order([], 3) == []


def test_only_what_is_above_the_policys_limit_is_prunable() -> None:
    assert StalenessPolicy(prune_above=0.5).prunable([0.4, 0.5, 0.6]).tolist() == [False, False, True]
    assert not StalenessPolicy().prunable([0.0, 1.0]).any()


@pytest.mark.parametrize("rate", [0, -1, float("nan"), 2e6, "fast", 10**400])
def test_a_rate_is_told_what_is_accepted(rate):
    with pytest.raises(
        InvalidArgumentError, match=r"^rate: got .*; accepted: a number above 0 and at most 1e\+06$"
    ):
        StalenessPolicy(rate=rate)
