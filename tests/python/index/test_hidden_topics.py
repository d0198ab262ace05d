"""What is nearest to a question may be hidden by a filter, gone, or less than is wanted: recall is held."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import memspan

DIM, TOPICS, EACH = 48, 60, 200
QUERIES = 60


class Topics:
    """A user whose topics are far apart and came one after the other, laid out."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(1)
        self.centers = _unit(self.random.standard_normal((TOPICS, DIM)))
        self.index = memspan.Index(DIM, auto_consolidate=False)
        count = TOPICS * EACH
        self.index.add_many(
            user="ana",
            ids=[f"r{number}" for number in range(count)],
            ats=np.arange(count),
            embeddings=np.concatenate([self.near(topic, EACH) for topic in range(TOPICS)]),
            metadatas=[{"topic": number // EACH} for number in range(count)],
        )
        self.index.consolidate(user="ana", force=True)

    def near(self, topic: int, count: int = 1) -> NDArray[np.float64]:
        noise = _unit(self.random.standard_normal((count, DIM)))
        rows: NDArray[np.float64] = self.centers[topic] + 0.6 * noise
        return rows

    def recall(self, topic: int, k: int, **how: Any) -> float:
        query: dict[str, Any] = {"user": "ana", "embedding": self.near(topic)[0], "k": k, **how}
        found = self.index.search(**query)
        return len(set(found.ids) & set(self.index.search(**query, exact=True).ids)) / k


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    unit: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def test_a_filter_that_hides_what_is_nearest_costs_no_recall() -> None:
    topics = Topics()
    for wanted in (0.9, 0.995):
        other_fields, other_times = [], []
        for number in range(QUERIES):
            topic = number % TOPICS
            start, end = topic * EACH, (topic + 1) * EACH
            where = {"topic": {"$ne": topic}}
            other_fields.append(topics.recall(topic, 100, recall=wanted, where=where))
            other_times.append(topics.recall(topic, 100, recall=wanted, between=[(None, start), (end, None)]))
        assert np.mean(other_fields) >= wanted
        assert np.mean(other_times) >= wanted


def test_a_topic_that_was_removed_costs_no_recall() -> None:
    topics = Topics()
    gone = TOPICS // 2
    topics.index.remove(user="ana", ids=[f"r{number}" for number in range(gone * EACH)])
    assert np.mean([topics.recall(number % gone, 100) for number in range(QUERIES)]) >= 0.995


def test_more_than_a_topic_holds_costs_no_recall() -> None:
    topics = Topics()
    for k in (300, 1000):
        assert np.mean([topics.recall(number % TOPICS, k) for number in range(QUERIES)]) >= 0.995
