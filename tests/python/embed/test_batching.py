from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memspan.embed.batching import plan_batches


@given(st.lists(st.integers(1, 600), max_size=60), st.integers(1, 20), st.integers(1, 2000))
def test_every_text_once_longest_first_within_limits(lengths: list[int], most: int, cells: int) -> None:
    batches = plan_batches(lengths, most, cells)
    order = [position for batch in batches for position in batch]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[i] for i in order] == sorted(lengths, reverse=True)
    for batch in batches:
        assert 1 <= len(batch) <= most
        assert len(batch) == 1 or len(batch) * lengths[batch[0]] <= cells


def test_batches_are_filled() -> None:
    assert plan_batches([5, 1, 5, 2, 5], 2, 1000) == [[0, 2], [4, 3], [1]]
    assert plan_batches([8, 4, 4, 4], 10, 12) == [[0], [1, 2, 3]]
    assert plan_batches([], 4, 100) == []
