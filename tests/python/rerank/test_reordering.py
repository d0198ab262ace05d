"""Reordering against a plain oracle, and its budget against a clock of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rerankers import ByFunction, Clock

from memspan.errors import RerankerError
from memspan.rerank.pace import Pace
from memspan.rerank.reordering import (
    BEHIND_LEARNED,
    BEHIND_RANKS,
    Reordered,
    Trust,
    as_log_odds,
    from_sessions,
    reorder,
)

PLENTY = 3600.0


def look(
    scores: list[float],
    base: list[float],
    seconds: float = PLENTY,
    scored: int | None = None,
    trust: Trust = BEHIND_LEARNED,
) -> Reordered:
    """Rerank passages "0", "1", …; with `scored` the time ends after so many."""
    clock = Clock()
    asked = 0

    def one(question: str, passage: str) -> float:
        nonlocal asked
        asked += 1
        if asked == scored:
            clock.now += PLENTY
        return scores[int(passage)]

    passages = [str(position) for position in range(len(scores))]
    pace = Pace()
    result = reorder(ByFunction(one), pace, "q", passages, np.array(base), seconds, clock, trust)
    assert scored is None or len(result.scores) == scored
    return result


def oracle(
    scores: list[float], base: list[float], scored: int, trust: Trust
) -> tuple[list[int], list[float]]:
    known = scores[:scored]
    sure = [max(score, 0) + math.log1p(math.exp(-abs(score))) for score in known]
    ranks = [sum(other > score for other in known) + (1 + known.count(score)) / 2 for score in known]
    places = [math.log(rank) for rank in ranks]
    blended = list(base)
    for position in range(scored if scored > 1 else 0):
        blended[position] += trust.sureness * (sure[position] - sum(sure) / scored / 3)
        blended[position] -= trust.rank * (places[position] - sum(places) / scored)
    return sorted(range(len(base)), key=lambda position: -blended[position]), blended


finite = st.floats(-20, 20, width=32).map(lambda value: round(value, 2))


@given(
    st.lists(st.tuples(finite, finite), min_size=1, max_size=30),
    st.sampled_from([BEHIND_LEARNED, BEHIND_RANKS]),
    st.data(),
)
def test_the_blend_is_additive(pairs: list[tuple[float, float]], trust: Trust, data: st.DataObject) -> None:
    scores = [score for score, _ in pairs]
    base = sorted((value for _, value in pairs), reverse=True)
    scored = data.draw(st.integers(1, len(pairs)))
    result = look(scores, base, scored=scored, trust=trust)
    order, blended = oracle(scores, base, scored, trust)
    assert sorted(result.order) == list(range(len(pairs)))
    assert result.log_odds == pytest.approx(blended, abs=1e-5)
    assert result.log_odds[scored:].tolist() == base[scored:]
    assert [blended[place] for place in result.order] == pytest.approx(
        [blended[place] for place in order], abs=1e-5
    )


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_without_time_the_order_is_the_inputs(seconds: float) -> None:
    reranker = ByFunction(lambda question, passage: float(passage))
    result = reorder(reranker, Pace(), "q", ["0", "1", "2"], np.array([3.0, 2.0, 2.0]), seconds)
    assert result.order == [0, 1, 2]
    assert result.log_odds.tolist() == [3, 2, 2]
    assert reranker.calls == []


def test_one_that_was_scored_alone_does_not_move() -> None:
    assert look([-9, 9], [1.0, 0.5], scored=1).order == [0, 1]


def test_those_that_were_not_scored_pass_fewer_than_an_average_one_would() -> None:
    """Further down a "yes" is rarer: who was scored is not behind them for being less sure than the mean."""
    base = [1.0, 0.9, 0.8, 0.7]
    assert look([6.0, 3.0, 6.0, 0.0], base, scored=3).order == [0, 2, 1, 3]
    assert look([6.0, 0.0, 6.0, 0.0], base, scored=3).order == [0, 2, 3, 1]


def test_equal_ones_keep_their_order() -> None:
    assert look([1.0] * 5, [2.0] * 5).order == [0, 1, 2, 3, 4]


def test_those_without_a_passage_keep_their_log_odds() -> None:
    scores = iter([-9.0, 9.0])
    result = reorder(
        ByFunction(lambda question, passage: next(scores)),
        Pace(),
        "q",
        ["a", "b"],
        np.array([3.0, 2.5, 2.0, -8.0]),
        PLENTY,
    )
    assert result.order == [1, 2, 0, 3]
    assert result.log_odds[2:].tolist() == [2.0, -8.0]


def test_nothing_to_rank() -> None:
    assert look([], []).order == []


def test_a_passage_that_answers_rises_and_what_is_no_answer_moves_little() -> None:
    base = as_log_odds(4).tolist()
    assert look([-9, -9, -9, 9], base).order[0] == 3
    assert look([-9, -9, -9, -9], base).order == [0, 1, 2, 3]
    assert abs(look([-3, -11, -7, -5], base).log_odds - base).max() < 0.05


def test_a_no_hardly_differs_from_another_and_a_surer_yes_does() -> None:
    assert np.ptp(look([-9.0, -5.0], [0.0, 0.0]).log_odds) < 0.01
    assert np.ptp(look([3.0, 7.0], [0.0, 0.0]).log_odds) == pytest.approx(3.0, abs=0.05)


def test_behind_ranks_a_no_differs_from_another_by_its_rank_and_equal_ones_share_theirs() -> None:
    rise = look([-9.0, -9.0, -5.0], [0.0, 0.0, 0.0], trust=BEHIND_RANKS).log_odds
    assert rise[0] == rise[1]
    assert rise[2] - rise[0] == pytest.approx(math.log(2.5), abs=0.01)


def test_ranks_fall_more_and_more_slowly() -> None:
    steps = np.diff(as_log_odds(50))
    assert (steps < 0).all()
    assert (np.diff(steps) > 0).all()
    assert as_log_odds(1).tolist() == [0]


class Slow(ByFunction):
    """Takes a fixed time a pair on a clock of its own."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        super().__init__()
        self.clock, self.seconds = clock, seconds

    def score(self, question: str, passages: Any) -> Any:
        self.clock.now += self.seconds * len(passages)
        return super().score(question, passages)


@pytest.mark.parametrize("a_pair", [0.0001, 0.004, 0.02, 0.2])
@pytest.mark.parametrize("budget", [0.01, 0.15, 1.0])
def test_a_reranker_of_known_pace_keeps_the_budget(a_pair: float, budget: float) -> None:
    clock = Clock()
    slow, pace = Slow(clock, a_pair), Pace()
    passages = ["x" * 100] * 50
    pace.learn("question", passages[:4], 4 * a_pair)
    start = clock.now
    result = reorder(slow, pace, "question", passages, as_log_odds(50), budget, clock)
    assert clock.now - start <= budget
    assert len(result.scores) == len(slow.seen)
    # All but a round of what could be done was done.
    assert len(result.scores) >= min(50, int((budget / 1.15 - 0.05) / a_pair) - 1)


def test_of_an_unknown_pace_one_pair_is_tried() -> None:
    clock = Clock()
    slow = Slow(clock, 10.0)
    reorder(slow, Pace(), "q", ["a", "b", "c"], as_log_odds(3), 0.1, clock)
    assert len(slow.seen) == 1


def test_a_reranker_that_gets_slower_is_noticed() -> None:
    clock = Clock()
    slow, pace = Slow(clock, 0.1), Pace()
    pace.learn("q", ["a"], 0.001)
    start = clock.now
    reorder(slow, pace, "q", ["a"] * 50, as_log_odds(50), 1.0, clock)
    first = len(slow.calls[0][1])
    assert clock.now - start <= 1.0 + 0.1 * first
    assert len(slow.calls) < 50


def test_rounds_grow_when_a_reranker_is_fast() -> None:
    clock = Clock()
    slow, pace = Slow(clock, 1e-6), Pace()
    reorder(slow, pace, "q", ["a"] * 50, as_log_odds(50), 1.0, clock)
    assert [len(passages) for _, passages in slow.calls] == [1, 49]


def test_pace_counts_characters_and_pairs() -> None:
    pace = Pace()
    assert pace.expected("q", ["a"]) == 0
    pace.learn("qu", ["a" * 50], 1.0)  # 100 with what a pair costs beside
    assert pace.expected("qu", ["a" * 50]) == pytest.approx(1.15)
    assert pace.expected("qu", ["a" * 150]) == pytest.approx(2.3)
    assert pace.expected("qu", ["a" * 50] * 3) == pytest.approx(3.45)
    pace.learn("qu", ["a" * 50], 3.0)
    assert pace.expected("qu", ["a" * 50]) == pytest.approx(2.3)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([1.0, float("nan")], "returned nan for passage 1 of 2"),
        ([float("inf"), 0], "returned inf for passage 0 of 2"),
        ([1e39, 0], "returned inf"),
        ([1.0], r"returned shape \(1,\) for 2 passages"),
        ([[1.0], [2.0]], r"returned shape \(2, 1\)"),
        ("ab", "not an array of numbers"),
        ([10**400, 0], "not an array of numbers"),
        (None, "returned"),
        (np.ma.masked_array([1.0, 9.0], mask=[False, True]), "returned masked values"),
    ],
)
def test_unusable_scores_are_refused(answer: Any, message: str) -> None:
    class Bad:
        name = "bad"

        def score(self, question: str, passages: Any) -> Any:
            return answer

    pace = Pace()
    pace.learn("q", ["a", "b"], 1e-6)
    with pytest.raises(RerankerError, match=f"reranker 'bad': .*{message}"):
        reorder(Bad(), pace, "q", ["a", "b"], as_log_odds(2), PLENTY)


def test_an_exception_becomes_a_reranker_error() -> None:
    def fail(question: str, passage: str) -> float:
        raise KeyError("weights")

    with pytest.raises(RerankerError, match=r"'by-function' failed \(KeyError: 'weights'\)") as caught:
        reorder(ByFunction(fail), Pace(), "q", ["a"], as_log_odds(1), PLENTY)
    assert isinstance(caught.value.__cause__, KeyError)


@given(
    st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=12),
    st.integers(1, 6),
    st.integers(1, 14),
    st.randoms(use_true_random=False),
)
def test_the_last_places_are_for_sessions_that_are_missing(
    sessions: list[str | None], wanted: int, k: int, random: Any
) -> None:
    order = random.sample(range(len(sessions)), len(sessions))
    chosen = from_sessions(order, sessions, wanted, k)
    places = min(k, len(order))
    assert len(chosen) == len(set(chosen)) == places
    assert [order.index(position) for position in chosen] == sorted(map(order.index, chosen))
    there = {sessions[position] for position in chosen}
    assert len(there) >= min(wanted, len(set(sessions)), places)
    # What was passed over would have left a session out that is wanted.
    for place, position in enumerate(chosen):
        passed = [one for one in order[: order.index(position)] if one not in chosen[:place]]
        if passed:
            assert sessions[position] not in {sessions[one] for one in chosen[:place]}
            assert len(there) == min(wanted, len(set(sessions)), places)
