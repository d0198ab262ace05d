"""A time range that many results are wanted of: how many of its vectors a search reads."""

from __future__ import annotations

import numpy as np

import memspan

DIM, TOPICS = 32, 60


def share_that_reads_all(share: float, k: int, *, each: int) -> float:
    """Of searches near a topic of `each` records for k of a time range of that share, those that read all of its
    vectors. What they find is checked."""
    count = TOPICS * each
    random = np.random.default_rng(5)
    centers = random.standard_normal((TOPICS, DIM))
    rows = centers[np.arange(count) % TOPICS] + 0.6 * random.standard_normal((count, DIM))
    index = memspan.Index(DIM, auto_consolidate=False)
    ids = [f"r{number}" for number in range(count)]
    index.add_many(user="ana", ids=ids, ats=random.permutation(count), embeddings=rows)
    index.consolidate(user="ana")
    in_range = int(count * share)
    read_all, recalls = 0, []
    for topic in range(TOPICS):
        start = int(random.integers(0, count - in_range))
        between = (start, start + in_range - 1)
        query = centers[topic] + 0.3 * random.standard_normal(DIM)
        found = index.search(user="ana", embedding=query, between=between, k=k, explain=True)
        exact = index.search(user="ana", embedding=query, between=between, k=k, exact=True)
        assert found.explanation is not None
        read_all += found.explanation["rows_read"] >= found.explanation["admissible"]
        recalls.append(len(set(found.ids) & set(exact.ids)) / k)
    assert np.mean(recalls) >= 0.995
    return read_all / TOPICS


def test_what_the_first_blocks_hold_of_a_time_range_does_not_decide_alone() -> None:
    # They hold fewer than are wanted: by the bounds that this gives, a third would read everything.
    assert share_that_reads_all(0.3, 100, each=300) <= 1 / 6


def test_a_narrow_time_range_is_probed_where_that_may_take_longer() -> None:
    # The estimate is for harder questions: by it alone, all would read everything.
    assert share_that_reads_all(0.05, 20, each=800) <= 1 / 4
