"""Data of any size for the growth curves, from one seed: clustered vectors, Zipf words, three tags a record."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DIM = 384
WORDS_IN_TEXT = 25
VOCABULARY = 30_000
TOPICS = 120
HOUR = 3_600_000_000  # microseconds
QUERIES = 200


@dataclass(frozen=True)
class Part:
    """Columns of `Index.add_many` for records `first` and following."""

    ids: list[str]
    ats: NDArray[np.int64]
    texts: list[str]
    embeddings: NDArray[np.float32]
    tags: list[list[str]]


class Generator:
    """Endless records of one kind; `users` only names whom a part belongs to."""

    def __init__(self, seed: int = 11) -> None:
        self._random = np.random.default_rng(seed)
        self._centres = self._random.standard_normal((TOPICS, DIM), dtype=np.float32)
        weights = 1.0 / (np.arange(VOCABULARY) + 2.7) ** 1.05
        self._cumulated = np.cumsum(weights / weights.sum())

    def vectors(self, topics: NDArray[np.int64]) -> NDArray[np.float32]:
        noise = self._random.standard_normal((len(topics), DIM), dtype=np.float32)
        vectors = self._centres[topics] + noise
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def text(self, count: int) -> list[str]:
        words = np.searchsorted(self._cumulated, self._random.random((count, WORDS_IN_TEXT)))
        return [" ".join(f"w{word}" for word in row) for row in words]

    def part(self, first: int, count: int) -> Part:
        """Turns come in sessions of eight about one topic."""
        topics = np.repeat(self._random.integers(0, TOPICS, count // 8 + 1), 8)[:count]
        numbers = range(first, first + count)
        tags = [
            [f"topic_{topic}", f"area_{topic % 12}", f"leaf_{number % 97}"]
            for number, topic in zip(numbers, topics, strict=True)
        ]
        ats = np.arange(first, first + count, dtype=np.int64) * HOUR
        return Part([f"m{number}" for number in numbers], ats, self.text(count), self.vectors(topics), tags)

    def queries(self) -> tuple[NDArray[np.float32], list[str], list[str]]:
        """Vectors near a topic, five words, and the topic's tag."""
        topics = self._random.integers(0, TOPICS, QUERIES)
        words = [" ".join(text.split()[:5]) for text in self.text(QUERIES)]
        return self.vectors(topics), words, [f"topic_{topic}" for topic in topics]
