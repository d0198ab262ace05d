"""Ratios and nominal fidelity as the paper has them, and what is measured of texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.errors import InvalidArgumentError
from memspan.lifecycle.compression import HIERARCHY, STRATEGIES, nominal_fidelity, ratios
from memspan.lifecycle.fidelity import Fidelity, fidelity_of
from memspan.records import KINDS


def test_uniform_is_the_target() -> None:
    assert ratios("uniform", 0.4, importance=[0, 0.5, 1]).tolist() == [0.4, 0.4, 0.4]
    assert nominal_fidelity(0.4) == pytest.approx(0.6 + 0.4 * 0.4)


def test_adaptive_weighs_importance() -> None:
    found = ratios("adaptive", 0.5, importance=[0, 0.5, 1])
    assert found == pytest.approx([0.5 * 0.3, 0.5 * 0.65, 0.5])


def test_hierarchical_scales_by_kind() -> None:
    found = ratios("hierarchical", 0.5, importance=1.0, kinds=range(len(KINDS)))
    assert found == pytest.approx([0.5 * HIERARCHY[kind] for kind in KINDS])


def test_none_keeps_everything() -> None:
    assert ratios("none", 0.2, importance=[0, 1]).tolist() == [1, 1]


def test_what_nobody_judged_is_middling() -> None:
    assert ratios("adaptive", 1.0, importance=[np.nan, 0.5]).tolist() == pytest.approx([0.65, 0.65])
    assert ratios("adaptive", 1.0).item() == pytest.approx(0.65)


@pytest.mark.parametrize("strategy", STRATEGIES)
@PROFILE
@given(target=st.floats(0.001, 1), importance=st.floats(0, 1), kind=st.integers(0, len(KINDS) - 1))
def test_a_ratio_is_a_share_and_fidelity_grows_with_it(
    strategy: str, target: float, importance: float, kind: int
) -> None:
    ratio = ratios(strategy, target, importance=importance, kinds=kind).item()
    assert 0 < ratio <= 1
    assert strategy == "none" or ratio <= target
    assert 0.6 < nominal_fidelity(ratio).item() <= 1


@pytest.mark.parametrize("target", [0, -0.5, 1.01, float("nan"), "half", None, True])
def test_a_target_outside_0_to_1_is_refused(target: Any) -> None:
    for strategy in STRATEGIES:
        with pytest.raises(InvalidArgumentError, match="target"):
            ratios(strategy, target)


def test_an_unknown_strategy_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="strategy"):
        ratios("lossless", 0.5)


def test_what_is_kept_is_measured() -> None:
    text = "Yesterday Ilka bought 3 quince trees in Lisbon for 40 euros."
    found = fidelity_of(text, "Ilka bought quince trees for 40.", entities=["Ilka", "Lisbon", "nowhere"])
    assert found.entities == pytest.approx(1 / 2)
    assert found.numbers == pytest.approx(1 / 2)
    assert 0.4 < found.tokens < 0.9
    assert found.ratio == pytest.approx(6 / 11)
    assert found.agreement is None
    assert found.mean == pytest.approx((found.tokens + found.entities + found.numbers) / 3)


def test_names_are_told_by_their_capitals() -> None:
    found = fidelity_of("We met Tomasz and then Ada came.", "We met and then came.")
    assert found.entities == 0


def test_where_there_is_nothing_to_lose_nothing_is_lost() -> None:
    found = fidelity_of("", "")
    assert (found.ratio, found.tokens, found.entities, found.numbers) == (1, 1, 1, 1)
    assert fidelity_of("the same", "the same").mean == 1


def test_agreement_is_the_cosine_of_the_embeddings() -> None:
    found = fidelity_of("a", "b", embeddings=([3.0, 0.0], [1.0, 1.0]))
    assert found.agreement == pytest.approx(2**-0.5)
    assert fidelity_of("a", "b", embeddings=([0.0, 0.0], [1.0, 1.0])).agreement == 0
    assert "agreement" in found.to_dict()
    assert "agreement" not in Fidelity(ratio=1, tokens=1, entities=1, numbers=1).to_dict()


@PROFILE
@given(st.text(max_size=80), st.text(max_size=80))
def test_every_share_is_one(original: str, compressed: str) -> None:
    found = fidelity_of(original, compressed)
    assert all(0 <= value <= 1 for value in found.to_dict().values())
    assert fidelity_of(original, original).mean == 1
