"""Thousands of records: every way of scanning, every vector length, ties; against numpy in float64."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import memspan

COUNT = 3000
FILTERS: dict[str, tuple[dict[str, Any], slice]] = {
    "everything": ({}, slice(None)),
    "one in three": ({"where": {"third": 0}}, slice(0, None, 3)),
    "one in a hundred": ({"require_tags": ["hundredth"]}, slice(0, None, 100)),
    "a range": ({"between": (500, 560)}, slice(500, 560)),
    "all but a few": ({"exclude": [f"m{i}" for i in range(5)]}, slice(5, None)),
}


def fill(dim: int, rows: NDArray[np.float32], texts: list[str] | None = None) -> memspan.Index:
    index = memspan.Index(dim, analyzer="simple", auto_consolidate=False)
    index.add_many(
        user="ana",
        ids=[f"m{i}" for i in range(COUNT)],
        ats=list(range(COUNT)),
        embeddings=rows,
        texts=texts,
        tags=[["hundredth"] if i % 100 == 0 else [] for i in range(COUNT)],
        metadatas=[{"third": i % 3} for i in range(COUNT)],
    )
    return index


def assert_top(hits: memspan.Hits, scores: NDArray[np.float64], allowed: slice, k: int) -> None:
    """The scores that came back are the best of those allowed, and each belongs to its record."""
    best = np.sort(scores[allowed])[::-1][:k]
    assert hits.scores == pytest.approx(best, abs=1e-5)
    places = [int(key[1:]) for key in hits.ids]
    assert set(places) <= set(range(COUNT)[allowed])
    assert hits.scores == pytest.approx(scores[places], abs=1e-5)


@pytest.mark.parametrize("dim", [1, 2, 7, 16, 33, 100, 384, 1025])
def test_cosine_top_k(dim: int) -> None:
    rng = np.random.default_rng(dim)
    rows = (rng.standard_normal((COUNT, dim)) * rng.uniform(0.01, 100, (COUNT, 1))).astype(np.float32)
    index = fill(dim, rows)
    unit = rows.astype(np.float64) / np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    for query in rng.standard_normal((4, dim)).astype(np.float32):
        scores = unit @ (query.astype(np.float64) / np.linalg.norm(query.astype(np.float64)))
        for filters, allowed in FILTERS.values():
            for k in (1, 10, 700):
                assert_top(index.search(user="ana", embedding=query, k=k, **filters), scores, allowed, k)


@pytest.mark.parametrize("name", FILTERS)
def test_equal_vectors_tie_wherever_they_stand(name: str) -> None:
    """The same vector gives the same bits in every row of a block and by every scan: newest first, then."""
    rng = np.random.default_rng(1)
    rows = np.repeat(rng.standard_normal((1, 77)).astype(np.float32), COUNT, axis=0)
    index = fill(77, rows)
    filters, allowed = FILTERS[name]
    hits = index.search(user="ana", embedding=rng.standard_normal(77).astype(np.float32), k=2000, **filters)
    assert hits.ids == [f"m{i}" for i in reversed(range(COUNT)[allowed])][:2000]
    assert len(set(hits.scores.tolist())) == 1


def test_bm25_top_k() -> None:
    rng = np.random.default_rng(2)
    words = rng.zipf(1.2, (COUNT, 30)).clip(max=5000)
    lengths = rng.integers(1, 31, COUNT)
    documents = [Counter(row[:length].tolist()) for row, length in zip(words, lengths, strict=True)]
    texts = [" ".join(f"w{word}" for word in document.elements()) for document in documents]
    index = fill(4, np.ones((COUNT, 4), np.float32), texts)
    average = lengths.mean()
    for number in range(25):
        terms = set(rng.zipf(1.2, 1 + number % 7).clip(max=5000).tolist())
        scores = np.zeros(COUNT)
        for term in terms:
            tf = np.array([document[term] for document in documents], float)
            df = np.count_nonzero(tf)
            idf = np.log(1 + (COUNT - df + 0.5) / (df + 0.5))
            scores += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * lengths / average))
        for filters, allowed in FILTERS.values():
            found = np.count_nonzero(scores[allowed])
            for k in (1, 10, 400):
                text = " ".join(f"w{term}" for term in terms)
                hits = index.search(user="ana", text=text, k=k, **filters)
                assert_top(hits, scores, allowed, min(k, found))
