"""What is nearest to a question may be hidden by a filter, gone, less than is wanted, or nothing: recall is held."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import memspan

DIM, TOPICS, EACH = 48, 60, 200
NEW = 16
QUERIES = 60


class Topics:
    """A user whose topics are far apart and came one after the other, laid out."""

    def __init__(self, dim: int = DIM, each: int = EACH) -> None:
        self.random = np.random.default_rng(1)
        self.centers = _unit(self.random.standard_normal((TOPICS + NEW, dim)))
        self.index = memspan.Index(dim, auto_consolidate=False)
        for topic in range(TOPICS):
            self.add(topic, each)
        self.index.consolidate(user="ana", force=True)

    def add(self, topic: int, count: int) -> None:
        first = len(self.index)
        self.index.add_many(
            user="ana",
            ids=[f"r{number}" for number in range(first, first + count)],
            ats=np.arange(first, first + count),
            embeddings=self.near(topic, count),
            metadatas=[{"topic": topic}] * count,
        )

    def near(self, topic: int, count: int = 1) -> NDArray[np.float64]:
        noise = _unit(self.random.standard_normal((count, self.centers.shape[1])))
        rows: NDArray[np.float64] = self.centers[topic] + 0.6 * noise
        return rows

    def recall(self, topic: int, k: int, **how: Any) -> float:
        return self.recall_of(self.near(topic)[0], k, **how)

    def recall_of(self, embedding: NDArray[np.float64], k: int, **how: Any) -> float:
        query: dict[str, Any] = {"user": "ana", "embedding": embedding, "k": k, **how}
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


def test_somewhat_more_than_a_topic_holds_costs_no_recall() -> None:
    topics = Topics(dim=384, each=150)
    for k in (151, 170, 200):
        assert np.mean([topics.recall(number % TOPICS, k) for number in range(QUERIES)]) >= 0.995


def test_questions_about_nothing_cost_no_recall() -> None:
    topics = Topics()
    strange = topics.random.standard_normal((QUERIES, DIM))
    for k in (1, 10, 100):
        assert np.mean([topics.recall_of(embedding, k) for embedding in strange]) >= 0.995


def test_a_topic_that_is_smaller_than_all_others_costs_no_recall() -> None:
    topics = Topics(dim=384)
    topics.add(TOPICS, 20)
    topics.index.consolidate(user="ana")
    for k in (10, 30, 100):
        assert np.mean([topics.recall(TOPICS, k) for _ in range(QUERIES)]) >= 0.995


def test_a_topic_that_a_consolidation_has_cleared_away_costs_no_recall() -> None:
    topics = Topics(dim=384)
    gone = TOPICS // 2
    topics.index.remove(user="ana", ids=[f"r{number}" for number in range(gone * EACH)])
    topics.index.consolidate(user="ana", force=True)
    assert np.mean([topics.recall(number % gone, 100) for number in range(QUERIES)]) >= 0.995


def test_a_topic_that_is_partly_laid_out_costs_no_recall() -> None:
    topics = Topics(dim=384, each=45)
    for topic in range(TOPICS, TOPICS + NEW):
        topics.add(topic, 45 if topic + 1 < TOPICS + NEW else 20)
    topics.index.consolidate(user="ana")
    topics.add(TOPICS + NEW - 1, 25)
    for k in (3, 10, 20):
        assert np.mean([topics.recall(TOPICS + NEW - 1, k) for _ in range(QUERIES)]) >= 0.995


def test_questions_from_the_middle_of_a_topic_cost_no_recall() -> None:
    topics = Topics(dim=384)
    for k in (10, 40):
        assert np.mean([topics.recall_of(center, k) for center in topics.centers[:TOPICS]]) >= 0.995


class UnevenTopics(Topics):
    """Four topics of a thousand records among 36 of 150, in any order."""

    def __init__(self, dim: int, noise: float) -> None:
        self.random = np.random.default_rng(0)
        centers = _unit(self.random.standard_normal((40, dim)))
        topics = self.random.permutation(np.repeat(np.arange(40), [1000] * 4 + [150] * 36))
        self.rows = centers[topics] + noise * self.random.standard_normal((len(topics), dim)) / np.sqrt(dim)
        self.centers = centers[:4]
        self.index = memspan.Index(dim, auto_consolidate=False)
        ids = [f"r{number}" for number in range(len(topics))]
        self.index.add_many(user="ana", ids=ids, ats=np.arange(len(topics)), embeddings=self.rows)
        self.index.consolidate(user="ana", force=True)


def test_questions_from_the_middle_of_topics_larger_than_others_cost_no_recall() -> None:
    for dim in (64, 384):
        topics = UnevenTopics(dim, noise=0.8)
        for k in (1, 10, 40):
            assert np.mean([topics.recall_of(center, k) for center in topics.centers]) >= 0.995


def test_questions_about_several_topics_cost_no_recall() -> None:
    topics = UnevenTopics(384, noise=1.6)
    several = [topics.random.choice(topics.rows, 8).mean(axis=0) for _ in range(QUERIES)]
    for k in (1, 10, 40):
        assert np.mean([topics.recall_of(embedding, k) for embedding in several]) >= 0.995
