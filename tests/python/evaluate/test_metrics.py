"""Every metric against cases computed by hand."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memspan.evaluate.metrics import all_at, hit_at, ndcg_at, ranks_of, recall_at, reciprocal_rank

RANKED = ["x", "a", "y", "b", "a", "z"]


@pytest.mark.parametrize(
    ("k", "expected"), [(1, 0), (2, 1 / 3), (3, 1 / 3), (4, 2 / 3), (6, 2 / 3), (50, 2 / 3)]
)
def test_recall(k, expected):
    assert recall_at({"a", "b", "c"}, RANKED, k) == pytest.approx(expected)


def test_all():
    assert [all_at({"a", "b"}, RANKED, k) for k in (1, 3, 4, 9)] == [0, 0, 1, 1]
    assert all_at({"a", "c"}, RANKED, 9) == 0
    assert all_at({"a", "b"}, ["b", "a", "x"], 2) == 1  # and nothing else is among the first


def test_hit():
    assert [hit_at({"b", "c"}, RANKED, k) for k in (1, 3, 4, 9)] == [0, 0, 1, 1]
    assert hit_at({"c"}, RANKED, 9) == 0


def test_reciprocal_rank():
    assert reciprocal_rank({"b", "z"}, RANKED) == 1 / 4
    assert reciprocal_rank({"x"}, RANKED) == 1
    assert reciprocal_rank({"c"}, RANKED) == 0
    assert reciprocal_rank({"c"}, []) == 0


def test_ranks_count_an_item_where_it_came_first():
    assert ranks_of({"a", "b", "c"}, RANKED) == {"a": 2, "b": 4}
    assert list(ranks_of({"a", "b"}, RANKED)) == ["a", "b"]


def test_ndcg():
    # Two of three at ranks 2 and 4; the second "a" at rank 5 gains nothing.
    ideal = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at({"a", "b", "c"}, RANKED, 6) == pytest.approx((1 / log2(3) + 1 / log2(5)) / ideal)
    # The ideal is cut at k, too: one place for three items.
    assert ndcg_at({"a", "b", "c"}, ["b", "x"], 1) == 1
    assert ndcg_at({"a", "b"}, ["b", "a"], 2) == 1
    assert ndcg_at({"a", "b"}, ["b", "x", "a"], 2) == pytest.approx(1 / (1 + 1 / log2(3)))
    assert ndcg_at({"a"}, ["x", "a"], 2) == pytest.approx(0.6309297535714575)
    assert ndcg_at({"a"}, [], 5) == 0


@given(
    relevant=st.sets(st.sampled_from("abcdef"), min_size=1),
    ranked=st.lists(st.sampled_from("abcdefghij"), max_size=12),
    k=st.integers(1, 15),
)
def test_bounds_and_order(relevant, ranked, k):
    recall, ndcg = recall_at(relevant, ranked, k), ndcg_at(relevant, ranked, k)
    assert 0 <= all_at(relevant, ranked, k) <= recall <= hit_at(relevant, ranked, k) <= 1
    assert recall <= recall_at(relevant, ranked, k + 1)
    assert -1e-9 <= ndcg <= 1 + 1e-9
    assert (ndcg > 0) == (recall > 0)
    best = [*sorted(relevant), "z"]
    assert ndcg_at(relevant, best, k) == pytest.approx(1)
    assert (reciprocal_rank(relevant, ranked) >= 1 / k) == bool(hit_at(relevant, ranked, k))


def test_an_entry_may_bring_several_items_at_its_rank():
    ranked = [("x",), ("a", "b"), (), ("b", "c")]
    assert ranks_of({"a", "b", "c"}, ranked) == {"a": 2, "b": 2, "c": 4}
    assert recall_at({"a", "b", "c"}, ranked, 2) == 2 / 3
    assert all_at({"a", "b"}, ranked, 2) == 1
    assert hit_at({"c"}, ranked, 3) == 0
    assert reciprocal_rank({"b"}, ranked) == 1 / 2
    # One gain for the second entry and one for the fourth, against three at the top.
    best = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at({"a", "b", "c"}, ranked, 4) == pytest.approx((1 / log2(3) + 1 / log2(5)) / best)
    assert ndcg_at({"a", "b"}, [("a", "b")], 1) == 1
