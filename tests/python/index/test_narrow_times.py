"""A time range that many results are wanted of: how many of its vectors a search reads."""

from __future__ import annotations

import numpy as np

import memspan

DIM, TOPICS, EACH = 32, 60, 300
RECORDS = TOPICS * EACH
IN_RANGE = RECORDS * 3 // 10
K = 100


def test_what_the_first_blocks_hold_of_a_time_range_does_not_decide_alone() -> None:
    random = np.random.default_rng(5)
    centers = random.standard_normal((TOPICS, DIM))
    rows = centers[np.arange(RECORDS) % TOPICS] + 0.6 * random.standard_normal((RECORDS, DIM))
    index = memspan.Index(DIM, auto_consolidate=False)
    ids = [f"r{number}" for number in range(RECORDS)]
    index.add_many(user="ana", ids=ids, ats=random.permutation(RECORDS), embeddings=rows)
    index.consolidate(user="ana")
    read_all, recalls = 0, []
    for topic in range(TOPICS):
        start = int(random.integers(0, RECORDS - IN_RANGE))
        between = (start, start + IN_RANGE)
        query = centers[topic] + 0.3 * random.standard_normal(DIM)
        found = index.search(user="ana", embedding=query, between=between, k=K, explain=True)
        exact = index.search(user="ana", embedding=query, between=between, k=K, exact=True)
        assert found.explanation is not None
        read_all += found.explanation["rows_read"] >= IN_RANGE
        recalls.append(len(set(found.ids) & set(exact.ids)) / K)
    # By the bounds after the first six blocks alone, which hold fewer than are wanted, a third would read everything.
    assert read_all <= TOPICS // 6
    assert np.mean(recalls) >= 0.995
