"""`Quotas`: the allocations of the paper, capacities of kinds, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memspan import KINDS, InvalidArgumentError, Quotas
from memspan.lifecycle.allocations import ALLOCATIONS, SHARED_KINDS, apportioned
from memspan.lifecycle.quotas import as_quotas


def test_the_seven_allocations_of_the_paper() -> None:
    table = {name: tuple(shares.values()) for name, shares in ALLOCATIONS.items()}
    assert table == {
        "episodic_dominated": (0.80, 0.10, 0.10),
        "semantic_dominated": (0.10, 0.80, 0.10),
        "procedural_dominated": (0.10, 0.10, 0.80),
        "uniform": (0.33, 0.34, 0.33),
        "balanced_episodic": (0.40, 0.35, 0.25),
        "balanced_semantic": (0.25, 0.50, 0.25),
        "optimized": (0.38, 0.37, 0.25),
    }
    assert all(tuple(shares) == SHARED_KINDS for shares in ALLOCATIONS.values())


def test_the_example_of_the_paper() -> None:
    """3.2: capacity 500 by 40/35/25 reserves 200, 175 and 125."""
    assert Quotas(capacity=500).capacities == {
        "episodic": 200,
        "semantic": 175,
        "procedural": 125,
        "resource": None,
        "vault": None,
    }


def test_resource_and_vault_stand_apart() -> None:
    capacities = Quotas(capacity=500, resource=60, vault=40).capacities
    assert capacities == {"episodic": 160, "semantic": 140, "procedural": 100, "resource": 60, "vault": 40}
    assert Quotas(vault=3).capacities == {**dict.fromkeys(KINDS), "vault": 3}
    assert Quotas(vault=3).limited
    assert not Quotas().limited


@given(
    st.integers(3, 10_000_000) | st.integers(3, 40),
    st.sampled_from(sorted(ALLOCATIONS)) | st.tuples(*[st.floats(0.001, 1)] * 3),
)
def test_shares_use_the_capacity_up(capacity: int, shares: Any) -> None:
    if not isinstance(shares, str):
        total = sum(shares)
        shares = {kind: share / total for kind, share in zip(SHARED_KINDS, shares, strict=True)}
    quotas = Quotas(capacity=capacity, shares=shares)
    found = {kind: quotas.capacities[kind] or 0 for kind in SHARED_KINDS}
    assert sum(found.values()) == capacity
    assert min(found.values()) >= 1
    wanted = ALLOCATIONS[shares] if isinstance(shares, str) else shares
    if all(capacity * share >= 1 for share in wanted.values()):
        assert all(abs(found[kind] - capacity * wanted[kind]) < 1 + 1e-5 for kind in SHARED_KINDS)


def test_largest_fractions_first() -> None:
    assert apportioned(10, {"a": 0.45, "b": 0.35, "c": 0.20}) == {"a": 5, "b": 3, "c": 2}
    assert apportioned(3, {"a": 0.8, "b": 0.1, "c": 0.1}) == {"a": 1, "b": 1, "c": 1}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"capacity": 0}, "capacity"),
        ({"capacity": -5}, "capacity"),
        ({"capacity": 2.5}, "capacity"),
        ({"capacity": True}, "capacity"),
        ({"capacity": 2}, "capacity"),
        ({"capacity": 10, "resource": 8}, "capacity"),
        ({"resource": 0}, "resource"),
        ({"vault": "many"}, "vault"),
        ({"eviction": "random"}, "eviction"),
        ({"shares": "fair"}, "shares"),
        ({"shares": 0.5}, "shares"),
        ({"shares": {"episodic": 0.5, "semantic": 0.5}}, "shares"),
        ({"shares": {"episodic": 0.5, "semantic": 0.25, "procedural": 0.2}}, "sum to 1"),
        ({"shares": {"episodic": 0.5, "semantic": 0.5, "procedural": 0.0}}, "procedural"),
        ({"shares": {"episodic": 1.5, "semantic": -0.75, "procedural": 0.25}}, "semantic"),
        ({"shares": {"episodic": float("nan"), "semantic": 0.5, "procedural": 0.5}}, "episodic"),
        ({"shares": {"episodic": "0.5", "semantic": 0.25, "procedural": 0.25}}, "episodic"),
        ({"shares": {"episodic": 0.4, "semantic": 0.3, "procedural": 0.2, "vault": 0.1}}, "shares"),
    ],
)
def test_refused(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=named):
        Quotas(**arguments)


def test_shares_are_the_quotas_own() -> None:
    shares = {"episodic": 0.5, "semantic": 0.25, "procedural": 0.25}
    quotas = Quotas(capacity=8, shares=shares)
    shares["episodic"] = 9.0
    assert quotas.capacities["episodic"] == 4


def test_dump_and_parse() -> None:
    for quotas in (
        Quotas(),
        Quotas(capacity=77, shares="optimized", resource=3, eviction="oldest"),
        Quotas(capacity=9, shares={"episodic": 0.5, "semantic": 0.25, "procedural": 0.25}),
    ):
        assert Quotas.parse(quotas.dump()) == quotas


@pytest.mark.parametrize("text", ["", "[]", "7", '{"colour": 1}', json.dumps({"capacity": 0})])
def test_parse_refuses(text: str) -> None:
    with pytest.raises(InvalidArgumentError):
        Quotas.parse(text)


def test_as_quotas() -> None:
    assert as_quotas(None) is None
    assert as_quotas(100) == Quotas(capacity=100)
    assert as_quotas(Quotas(vault=1)) == Quotas(vault=1)
    for value in (True, np.True_, "100", {"capacity": 3}, 2.0):
        with pytest.raises(InvalidArgumentError, match="quotas"):
            as_quotas(value)
