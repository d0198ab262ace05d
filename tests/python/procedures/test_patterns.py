"""Sequences that come back: what is one, and what every result of the search has to keep to."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.lifecycle.procedures import Mining, find_patterns
from memspan.lifecycle.procedures.matching import alike, matched
from memspan.lifecycle.procedures.significance import binomial_tail, chance_within


def noise(seed: int, sessions: int = 30, length: int = 20, alphabet: int = 40) -> list[list[str]]:
    dice = random.Random(seed)
    return [[f"n{dice.randrange(alphabet)}" for _ in range(length)] for _ in range(sessions)]


def patterns(sequences: list[list[str]], **settings: object) -> list[tuple[str, ...]]:
    return [found.actions for found in find_patterns(sequences, Mining(**settings))]  # type: ignore[arg-type]


def test_a_planted_sequence_is_found_whole_among_noise() -> None:
    sequences = noise(1)
    for i, sequence in enumerate(sequences[:12]):
        for place, step in enumerate(("a", "b", "c", "d")):
            sequence.insert(3 + place + i % 3, step)

    assert patterns(sequences) == [("a", "b", "c", "d")]


@pytest.mark.parametrize("seed", range(5))
def test_there_is_nothing_in_noise(seed: int) -> None:
    assert patterns(noise(seed)) == []
    assert patterns(noise(seed, sessions=10, length=100, alphabet=5)) == []


def test_three_sessions_that_are_the_same_are_enough() -> None:
    assert patterns([["a", "b", "c"]] * 3) == [("a", "b", "c")]
    assert patterns([["a", "b", "c"]] * 2) == []


@pytest.mark.parametrize(("gap", "found"), [(0, 0), (1, 1), (2, 1)])
def test_a_gap_is_how_many_others_may_come_between(gap: int, found: int) -> None:
    sequences = [["a", f"x{i}", "b"] for i in range(4)]

    assert len(patterns(sequences, gap=gap)) == found


def test_variants_are_procedures_of_their_own() -> None:
    sequences = noise(3, sessions=24, length=7)
    for i, sequence in enumerate(sequences):
        sequence[2:2] = ["find", "choose", ("book", "hold", "drop")[i % 3]]

    assert sorted(patterns(sequences)) == sorted(("find", "choose", end) for end in ("book", "hold", "drop"))


def test_what_goes_in_circles_is_one_round() -> None:
    assert patterns([["a", "b", "c"] * 10]) == [("a", "b", "c")]
    assert patterns([["open", *["edit", "test"] * 4, "close"] for _ in range(5)]) == [("edit", "test")]


def test_a_beginning_that_fails_is_a_broken_run() -> None:
    sequences = [["a", "b", "c"]] * 5 + [["a", "b", "x"]]
    failed = [[False] * 3] * 5 + [[False, True, False]]

    (found,) = find_patterns(sequences, failed=failed)

    assert (found.actions, len(found.runs), len(found.broken)) == (("a", "b", "c"), 5, 1)
    assert found.broken[0].places == (0, 1)


def test_long_routines_are_found_in_pieces_and_in_bounded_time() -> None:
    routine = [f"s{i}" for i in range(30)]

    found = patterns([routine] * 20)

    assert found[0] == tuple(routine[:12])
    assert sorted(step for one in found for step in one) == sorted(routine)


def test_effort_ends_the_search() -> None:
    sequences = [[f"{letter}{i}" for i in range(5)] for letter in "abcdefgh" for _ in range(3)]

    assert len(patterns(sequences)) == 8
    assert len(patterns(sequences, effort=3)) < 8


def test_nothing_comes_of_nothing() -> None:
    assert find_patterns([]) == []
    assert find_patterns([[], ["a"], []]) == []


_SEQUENCES = st.lists(st.lists(st.sampled_from("abcdef"), max_size=14), max_size=12)


@PROFILE
@given(_SEQUENCES, st.integers(2, 4), st.integers(0, 2), st.integers(2, 5), st.data())
def test_every_run_is_one_and_no_step_is_in_two(
    sequences: list[list[str]], least: int, gap: int, longest: int, data: st.DataObject
) -> None:
    failed = [[data.draw(st.booleans()) for _ in sequence] for sequence in sequences]

    found = find_patterns(sequences, Mining(least=least, gap=gap, longest=longest), failed=failed)

    used: Counter[tuple[int, int]] = Counter()
    for pattern in found:
        assert 2 <= len(pattern.actions) <= longest
        assert len(pattern.runs) >= least
        for run in (*pattern.runs, *pattern.broken):
            sequence = sequences[run.sequence]
            assert tuple(sequence[place] for place in run.places) == pattern.actions[: len(run.places)]
            assert all(0 < b - a <= gap + 1 for a, b in zip(run.places, run.places[1:], strict=False))
            used.update((run.sequence, place) for place in run.places)
        assert all(len(run.places) == len(pattern.actions) for run in pattern.runs)
        for run in pattern.broken:
            assert 2 <= len(run.places) < len(pattern.actions)
            assert failed[run.sequence][run.places[-1]]
    assert all(times == 1 for times in used.values())
    assert len({pattern.actions for pattern in found}) == len(found)


@PROFILE
@given(_SEQUENCES)
def test_names_do_not_matter_and_order_of_sessions_neither(sequences: list[list[str]]) -> None:
    found = {(one.actions, len(one.runs)) for one in find_patterns(sequences)}
    shuffled = find_patterns(list(reversed(sequences)))

    assert {(one.actions, len(one.runs)) for one in shuffled} == found


def test_binomial_tails() -> None:
    assert binomial_tail(0, 5, 0.5) == 1.0
    assert binomial_tail(5, 5, 0.5) == pytest.approx(1 / 32)
    assert binomial_tail(6, 5, 0.5) == 0.0
    assert binomial_tail(1, 5, 0.0) == 0.0
    assert binomial_tail(1, 5, 1.0) == 1.0
    exact = binomial_tail(20, 60, 0.2)
    assert binomial_tail(20, 61, 0.2) > exact > binomial_tail(21, 61, 0.2)
    assert binomial_tail(600, 1000, 0.5) == pytest.approx(1.36e-10, rel=0.02)
    assert chance_within(1, 4, 2) == pytest.approx(1 - 0.75**2)
    assert chance_within(0, 0, 3) == 0.0


def test_likeness_and_matching() -> None:
    assert alike("abc", "abc") == 1.0
    assert alike("abc", "axbxc") == 0.6
    assert alike("", "a") == alike("a", "") == 0.0
    learnt = [("a", "b", "c", "d"), ("x", "y"), ("a", "b", "c")]
    known = [("a", "b", "c"), ("p", "q"), ("y", "z")]
    assert matched(learnt, known) == {2: 0}
    assert matched(learnt[:2], known) == {0: 0}
    assert matched([], known) == {}
