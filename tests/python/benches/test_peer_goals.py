"""Which store counts as a rival, and when a goal is met."""

from __future__ import annotations

from typing import Any

import pytest

from peer_goals import COMPOSED, LIGHT, STORE, group_lines
from peer_limits import limit_lines
from peer_runs import join_rounds


def store(one_call: str = "", recall: float = 1.0, **micros: float) -> dict[str, Any]:
    queries = {kind: {"p50_us": value, "recall": recall} for kind, value in micros.items()}
    return {"one_call": one_call, "queries": queries}


def results(**others: dict[str, Any]) -> dict[str, dict[str, Any]]:
    ours = store("a b c d e g", a=10.0, b=10.0, c=10.0, d=10.0, e=10.0, g=1.0)
    return {"memspan": ours, **others}


def test_fastest_rival_with_enough_recall_is_compared() -> None:
    lines = group_lines(
        results(fast=store(a=1.0, recall=0.9), good=store(a=30.0, recall=0.991)), "S", COMPOSED
    )
    assert [(line.what, line.rival, line.met) for line in lines] == [("a", "good", True)]
    assert lines[0].ratio == pytest.approx(3.0)


def test_worse_rival_is_shown_as_such_where_no_other_is_there() -> None:
    (line,) = group_lines(results(fast=store(a=20.0, recall=0.9)), "S", COMPOSED)
    assert (line.rival, line.note, line.ratio, line.met) == ("fast", "lower recall", 2.0, False)


def test_our_own_lower_recall_is_no_success() -> None:
    ours = store("a b c d e g", recall=0.9, a=1.0)
    (line,) = group_lines({"memspan": ours, "good": store(a=100.0)}, "S", COMPOSED)
    assert line.met is False


def test_equal_scores_are_no_misses() -> None:
    rival = store(c=30.0, recall=0.8) | {"tie_recall": {"c": 1.0}}
    (line,) = group_lines(results(words=rival), "S", COMPOSED)
    assert (line.note, line.their_recall, line.met) == ("", 1.0, True)


def test_light_prototype_is_a_ratio_of_ours_to_it() -> None:
    lines = group_lines(results(light_i8=store(a=9.0, g=0.5), light_ivf8=store(a=8.0)), "S", LIGHT)
    assert [(line.what, line.rival, line.met) for line in lines] == [
        ("a", "light_ivf8", True),  # 1.25
        ("g", "light_i8", False),  # 2.0
        ("mean a-e, g", "", False),
    ]


def test_one_call_stores_have_a_mean_and_a_floor() -> None:
    other = store("a b c d e g", a=20.0, b=60.0, c=60.0, d=60.0, e=60.0, g=20.0)
    lines = {line.what: line for line in group_lines(results(other=other), "S", STORE)}
    assert lines["a"].met is False, "below 2.5"
    assert lines["b"].met
    assert lines["g"].met
    assert lines["mean a-e"].ratio == pytest.approx((2 * 6**4) ** 0.2)
    assert lines["mean a-e"].met


def test_what_was_not_measured_is_said() -> None:
    lines = {line.what: line for line in limit_lines(results(), {"add_many_per_s": 2e5}, "S")}
    assert lines["add_many, records a second"].met
    assert lines["insert, µs"].note == "not measured"
    assert lines["insert, µs"].met is None


def test_rounds_are_joined_by_medians() -> None:
    rounds: list[dict[str, Any]] = [{"a": {"p50": value}, "name": "x"} for value in (3.0, 1.0, 2.0)]
    assert join_rounds([*rounds, {"a": {"error": "lost"}}]) == {"a": {"p50": 2.0}, "name": "x"}
