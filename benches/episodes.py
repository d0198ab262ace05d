"""Data for the benchmarks: one user's episodes, of made-up words and clustered embeddings, from one seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import memspan

DIM = 384
HOUR = 3_600_000_000
USER = "ana"


@dataclass(frozen=True)
class Episodes:
    """Columns of `Index.add_many`, and queries that resemble them."""

    columns: dict[str, Any]
    query_vectors: NDArray[np.float32]
    query_texts: list[str]

    @property
    def count(self) -> int:
        return len(self.columns["ids"])

    def filled(self) -> memspan.Index:
        index = memspan.Index(DIM, analyzer="simple", auto_consolidate=False)
        index.add_many(user=USER, **self.columns)
        for area in range(8):
            for topic in range(area, 64, 8):
                index.relate(user=USER, parent=f"area_{area}", child=f"topic_{topic}")
        index.consolidate(user=USER)
        return index


def make_episodes(count: int, seed: int = 1) -> Episodes:
    """`count` episodes an hour apart: 25 Zipf-distributed words, three tags, a unit vector near a topic."""
    rng = np.random.default_rng(seed)
    topics = rng.standard_normal((64, DIM), dtype=np.float32)
    topic = rng.integers(0, 64, count + 200)
    vectors = topics[topic] + rng.standard_normal((count + 200, DIM), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    words = rng.zipf(1.3, (count, 25)).clip(max=20_000)
    texts = [" ".join(f"w{word}" for word in row) for row in words]
    columns = {
        "ids": [f"m{i}" for i in range(count)],
        "ats": [i * HOUR for i in range(count)],
        "texts": texts,
        "embeddings": vectors[:count],
        "tags": [[f"topic_{topic[i]}", f"area_{topic[i] % 8}", f"leaf_{i % 97}"] for i in range(count)],
        "sessions": [f"s{i // 20}" for i in range(count)],
        "metadatas": [{"turn": i % 20, "place": f"p{i % 7}"} for i in range(count)],
    }
    queries = [" ".join(rng.choice(row.split(), 5)) for row in rng.choice(texts, 200)]
    return Episodes(columns, vectors[count:], queries)
