"""What tokens say of a question, as numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memspan.errors import InvalidArgumentError
from memspan.ranking.late import TokenBlocks, added_by_rank, max_similarities

shapes = st.tuples(st.integers(0, 70), st.lists(st.integers(0, 70), max_size=12), st.sampled_from([1, 5, 96]))


def question_and_records(
    shape: tuple[int, list[int], int], seed: int
) -> tuple[NDArray[np.float32], list[NDArray[np.int8]]]:
    tokens, counts, dim = shape
    random = np.random.default_rng(seed)
    question = random.normal(size=(tokens, dim)).astype(np.float32)
    question /= np.linalg.norm(question, axis=1, keepdims=True)
    records = [random.integers(-127, 128, (count, dim), np.int8) for count in counts]
    for record in records:
        record[~record.any(axis=1)] = 1  # No row is zero.
    return question, records


def one_by_one(question: NDArray[np.float32], record: NDArray[np.int8]) -> float:
    best = []
    for token in question.astype(np.float64):
        cosines = [float(token @ row) / math.sqrt(float(row @ row)) for row in record.astype(np.float64)]
        best.append(max(cosines))
    return sum(best) / len(best)


@given(shapes, st.integers(0, 2**32 - 1))
def test_the_mean_of_the_best_cosines(shape: tuple[int, list[int], int], seed: int) -> None:
    question, records = question_and_records(shape, seed)
    found = max_similarities(question, [*map(TokenBlocks, records)])
    assert found.dtype == np.float32
    assert found.shape == (len(records),)
    for value, record in zip(found, records, strict=True):
        if len(record) and len(question):
            assert value == pytest.approx(one_by_one(question, record), abs=5e-5)
        else:
            assert np.isnan(value)


def test_more_tokens_than_one_piece() -> None:
    question, records = question_and_records((64, [64] * 150, 96), 1)
    found = max_similarities(question, [*map(TokenBlocks, records)])
    for place in (0, 41, 42, 43, 84, 85, 149):
        assert found[place] == pytest.approx(one_by_one(question, records[place]), abs=5e-5)


def test_lengths_do_not_count_and_what_a_record_says_itself_is_1() -> None:
    row = np.array([[3, 4, 0]], np.int8)
    question = np.array([[0.6, 0.8, 0.0]], np.float32)
    far = np.array([[-30, -40, 0]], np.int8)
    found = max_similarities(question, [*map(TokenBlocks, (row, row * 25, far))])
    np.testing.assert_allclose(found, [1, 1, -1], atol=1e-5)


def test_records_and_questions_without_tokens() -> None:
    nothing = TokenBlocks(np.zeros((0, 0), np.int8))
    question = np.array([[1.0, 0.0]], np.float32)
    row = TokenBlocks(np.array([[1, 0]], np.int8))
    assert len(row) == 1
    assert len(nothing) == nothing.nbytes == 0
    assert max_similarities(question, []).shape == (0,)
    assert np.isnan(max_similarities(question, [nothing, nothing])).all()
    assert np.isnan(max_similarities(np.zeros((0, 2), np.float32), [row, nothing])).all()
    found = max_similarities(question, [nothing, row, nothing, row])
    assert np.isnan(found).tolist() == [True, False, True, False]


def test_what_is_refused() -> None:
    row = TokenBlocks(np.array([[1, 0]], np.int8))
    question = np.array([[1.0, 0.0]], np.float32)
    with pytest.raises(InvalidArgumentError, match=r"records\[1\]"):
        max_similarities(question, [row, TokenBlocks(np.array([[1]], np.int8))])
    with pytest.raises(InvalidArgumentError, match="finite"):
        max_similarities(np.array([[1.0, math.nan]], np.float32), [row])
    with pytest.raises(InvalidArgumentError, match="question"):
        max_similarities(question[0], [row])
    with pytest.raises(InvalidArgumentError, match="rows"):
        TokenBlocks(np.array([1, 0], np.int8))
    for wrong in (None, question, "row"):
        with pytest.raises((TypeError, InvalidArgumentError)):
            max_similarities(question, [row, wrong])  # type: ignore[list-item]


similarities = st.lists(
    st.one_of(st.just(math.nan), st.sampled_from([-1.0, 0.0, 0.5, 0.75]), st.floats(-1, 1))
)


@given(similarities)
def test_what_is_added_by_rank(values: list[float]) -> None:
    said = np.array(values, np.float32)
    added = added_by_rank(said)
    assert added.shape == said.shape
    there = ~np.isnan(said)
    assert not added[~there].any()
    assert added.sum() == pytest.approx(0, abs=1e-9)
    if there.sum() < 2:
        assert not added.any()
    order = np.argsort(-said[there], kind="stable")
    sorted_said, sorted_added = np.round(said[there][order], 5), added[there][order]
    for place in range(1, len(order)):
        if sorted_said[place] == sorted_said[place - 1]:
            assert sorted_added[place] == sorted_added[place - 1]
        else:
            assert sorted_added[place] < sorted_added[place - 1]


@pytest.mark.parametrize(
    ("values", "ranks"),
    [
        ([0.9, 0.1, 0.5], [1, 3, 2]),
        ([0.5, 0.9, 0.5, 0.1], [2.5, 1, 2.5, 4]),
        ([0.3, 0.3], [1.5, 1.5]),
        ([math.nan, 0.2, 0.4], [None, 2, 1]),
    ],
)
def test_ranks_and_shared_ranks(values: list[float], ranks: list[Any]) -> None:
    logs = [-0.77 * math.log(rank) for rank in ranks if rank is not None]
    mean = sum(logs) / len(logs)
    wanted = [0.0 if rank is None else -0.77 * math.log(rank) - mean for rank in ranks]
    np.testing.assert_allclose(added_by_rank(np.array(values, np.float32)), wanted, atol=1e-12)
