"""LongMemEval's metrics as its scripts define them, worked out by hand, and the corrected ones."""

from __future__ import annotations

from math import log2

import pytest

from memspan.evaluate.longmemeval import (
    ScriptScores,
    UserTurns,
    corrected_scores,
    mean_of_scores,
    script_scores,
)

# Session "a" answers with its turns 0 and 4, its turn 2 is not marked; session "b" answers with turn 0.
TURNS = UserTurns(
    ranked=("x:0", "a:2", "a:0", "x:2", "b:0", "y:0", "a:4"),
    correct=frozenset({"a:0", "a:4", "b:0"}),
    sessions=frozenset({"a", "b"}),
)


def values(scores: ScriptScores | None) -> tuple[float, float, float]:
    assert scores is not None
    return scores.recall_any, scores.recall_all, scores.ndcg_any


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, (0, 0, 0)),
        # Gains 0 0 1; the scripts weigh ranks 1 and 2 with 1, rank 3 with 1/log2(3).
        (3, (1, 0, (1 / log2(3)) / (1 + 1 + 1 / log2(3)))),
        (5, (1, 0, (1 / log2(3) + 1 / log2(5)) / (2 + 1 / log2(3)))),
        (7, (1, 1, (1 / log2(3) + 1 / log2(5) + 1 / log2(7)) / (2 + 1 / log2(3)))),
        (50, (1, 1, (1 / log2(3) + 1 / log2(5) + 1 / log2(7)) / (2 + 1 / log2(3)))),
    ],
)
def test_turns_as_the_scripts_do(k, expected):
    assert values(script_scores(TURNS, k)) == pytest.approx(expected)


def test_ranks_one_and_two_weigh_alike_in_the_scripts():
    first = UserTurns(("a:0", "x:0"), frozenset({"a:0"}), frozenset({"a"}))
    second = UserTurns(("x:0", "a:0"), frozenset({"a:0"}), frozenset({"a"}))
    assert script_scores(first, 5).ndcg_any == script_scores(second, 5).ndcg_any == 1
    right = corrected_scores(second, 5)
    assert right is not None
    assert right.ndcg_any == pytest.approx(1 / log2(3))


def test_sessions_as_the_scripts_do():
    # Documents: x, not-a, a, x, b, y, a. Two distinct ones need two turns, and neither is right.
    assert values(script_scores(TURNS, 2, sessions=True)) == (0, 0, 0)
    # Four distinct ones need five turns: a and b are found. Gains of turns 0 0 1 0 1, ideally 1 1 1.
    gain = (1 / log2(3) + 1 / log2(5)) / (2 + 1 / log2(3))
    assert values(script_scores(TURNS, 4, sessions=True)) == pytest.approx((1, 1, gain))
    # There are only five; the widening ends with the ranking.
    everything = (1 / log2(3) + 1 / log2(5) + 1 / log2(7)) / (2 + 1 / log2(3))
    assert values(script_scores(TURNS, 6, sessions=True)) == pytest.approx((1, 1, everything))


def test_sessions_are_widened_by_one_turn_at_a_time():
    # Documents: a, not-a, not-a, b, c. The third distinct one is at rank 4; at rank 5 all would be found.
    turns = UserTurns(("a:0", "a:1", "a:2", "b:0", "c:0"), frozenset({"a:0", "b:0", "c:0"}), frozenset("abc"))
    scores = script_scores(turns, 3, sessions=True)
    assert (scores.recall_any, scores.recall_all) == (1, 0)


@pytest.mark.parametrize("sessions", [False, True])
def test_what_did_not_come_back_counts_in_the_scripts(sessions):
    found = UserTurns(ranked=("a:0", "x:0"), correct=TURNS.correct, sessions=TURNS.sessions)
    ideal = 1 + 1 + 1 / log2(3)
    assert values(script_scores(found, 5, sessions=sessions)) == pytest.approx((1, 0, 1 / ideal))


def test_corrected():
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert values(corrected_scores(TURNS, 5)) == pytest.approx((1, 0, (1 / log2(4) + 1 / log2(6)) / ideal))
    # Sessions x, a, b, y: "a" is found by its unmarked turn.
    assert values(corrected_scores(TURNS, 2, sessions=True)) == pytest.approx(
        (1, 0, (1 / log2(3)) / (1 + 1 / log2(3)))
    )
    assert values(corrected_scores(TURNS, 3, sessions=True)) == pytest.approx(
        (1, 1, (1 / log2(3) + 1 / log2(4)) / (1 + 1 / log2(3)))
    )


def test_all_of_nothing_is_found_in_the_scripts_and_left_out_when_corrected():
    assistant_only = UserTurns(("a:0", "x:0"), frozenset(), frozenset({"a"}))
    assert values(script_scores(assistant_only, 5)) == (0, 1, 0)
    assert values(script_scores(assistant_only, 5, sessions=True)) == (0, 1, 0)
    assert corrected_scores(assistant_only, 5) is None
    assert values(corrected_scores(assistant_only, 5, sessions=True)) == (1, 1, 1)


def test_means_are_over_those_that_count():
    scores = [ScriptScores(1, 0, 0.5), None, ScriptScores(0, 0, 0.25)]
    assert mean_of_scores(scores) == (2, {"recall_any": 0.5, "recall_all": 0, "ndcg_any": 0.375})
    assert mean_of_scores([None]) == (0, {})
