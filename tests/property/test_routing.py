"""The tag router: hnswlib must give the answers of the exact scan, whatever happened to the tags before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import memspan

DIM = 24


def unit_rows(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    rows = rng.standard_normal((count, DIM)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def tagged_index(count: int) -> tuple[memspan.Index, dict[str, NDArray[np.float32]]]:
    """An index of one user with `count` tags, each with an embedding of its own and one record."""
    vectors = dict(
        zip((f"tag_{i}" for i in range(count)), unit_rows(np.random.default_rng(3), count), strict=True)
    )
    index = memspan.Index(DIM)
    index.add_many(
        user="ana", ids=[f"m{i}" for i in range(count)], ats=range(count), tags=[[tag] for tag in vectors]
    )
    for tag, vector in vectors.items():
        index.set_tag_embedding(user="ana", tag=tag, embedding=vector)
    return index, vectors


def assert_routes_agree(index: memspan.Index, vectors: dict[str, NDArray[np.float32]], k: int = 10) -> None:
    names, matrix = list(vectors), np.array(list(vectors.values()))
    for query in unit_rows(np.random.default_rng(4), 25):
        cosines = matrix @ query
        expected = [(names[i], float(cosines[i])) for i in np.argsort(-cosines)[:k]]
        for method in ("exact", "hnsw", "auto"):
            found = index.route(user="ana", embedding=query, k=k, method=method)
            assert [tag for tag, _ in found] == [tag for tag, _ in expected], method
            assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-5)


@pytest.mark.parametrize("count", [1, 7, 300, 3000])
def test_routes_agree(count: int) -> None:
    assert_routes_agree(*tagged_index(count))


def test_routes_agree_after_changes(tmp_path: Path) -> None:
    index, vectors = tagged_index(2500)
    rng = np.random.default_rng(5)
    moved = [f"tag_{i}" for i in range(0, 2500, 3)]
    for tag, vector in zip(moved, unit_rows(rng, len(moved)), strict=True):
        index.set_tag_embedding(user="ana", tag=tag, embedding=vector)
        vectors[tag] = vector
    dropped = [f"tag_{i}" for i in range(1, 2500, 7)]
    index.drop_tags(user="ana", tags=dropped)
    for tag in dropped:
        vectors.pop(tag)
    for number, tag in enumerate(list(vectors)[:100]):
        index.rename_tag(user="ana", old=tag, new=f"renamed_{number}")
        vectors[f"renamed_{number}"] = vectors.pop(tag)
    gone, kept = list(vectors)[:2]
    index.merge_tags(user="ana", tags=[gone], into=kept)
    vectors.pop(gone)
    assert_routes_agree(index, vectors)
    index.save(tmp_path / "index.snapshot")
    assert_routes_agree(memspan.Index.load(tmp_path / "index.snapshot"), vectors)


def test_more_asked_than_there_is() -> None:
    index, vectors = tagged_index(5)
    for method in ("exact", "hnsw", "auto"):
        assert len(index.route(user="ana", embedding=vectors["tag_0"], k=100, method=method)) == 5
        assert index.route(user="ben", embedding=vectors["tag_0"], k=100, method=method) == []


def test_equal_tags_come_by_name() -> None:
    index = memspan.Index(DIM)
    vector = np.ones(DIM, np.float32)
    for tag in ("violet", "amber", "mauve"):
        index.add(user="ana", id=tag, at=0, tags=[tag])
        index.set_tag_embedding(user="ana", tag=tag, embedding=vector)
    for method in ("exact", "hnsw"):
        found = index.route(user="ana", embedding=vector, k=2, method=method)
        assert [tag for tag, _ in found] == ["amber", "mauve"]


def test_routed_tags_boost() -> None:
    """With `route`, the tags nearest to the query's embedding count like tags that were given."""
    index, vectors = tagged_index(40)
    hits = index.search(user="ana", embedding=vectors["tag_7"], views=["symbolic"], route=1)
    assert hits.ids == ["m7"]
    both = index.search(user="ana", embedding=vectors["tag_7"], views=["symbolic"], route=1, tags=["tag_9"])
    assert set(both.ids) == {"m7", "m9"}
