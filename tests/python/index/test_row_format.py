"""Vectors kept as bfloat16: half the memory, and answers as exact as that allows."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_helpers import DIM, observe, vector
from numpy.typing import NDArray

import memspan

# Of a cosine: each of the two vectors may change by a 256th of its length at most, by a third of that all but always.
ERROR = 1 / 256


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)  # type: ignore[no-any-return]


def test_it_is_an_argument_and_stays_with_the_index(tmp_path: Path) -> None:
    assert memspan.Index(DIM).row_format == "float32"
    for row_format in ("float32", "bfloat16"):
        index = memspan.Index(DIM, row_format=row_format)
        index.add(user="ana", id="one", at=1, embedding=vector(1, 2, 3))
        index.save(tmp_path / "saved")
        loaded = memspan.Index.load(tmp_path / "saved", verify=True)
        assert loaded.row_format == index.row_format == row_format
        assert observe(loaded) == observe(index)


def test_it_takes_half_of_the_rows_memory() -> None:
    dim, records = 384, 3000
    embeddings = np.random.default_rng(1).standard_normal((records, dim))
    sizes = []
    for row_format in ("float32", "bfloat16"):
        index = memspan.Index(dim, row_format=row_format, auto_consolidate=False)
        index.add_many(
            user="ana", ids=[str(i) for i in range(records)], ats=np.arange(records), embeddings=embeddings
        )
        sizes.append(index.stats()["bytes"] / records)
    assert 760 < sizes[0] - sizes[1] < 1000  # 768, and its share of the room that is kept for rows to come


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, int]]:
    step = st.tuples(st.sampled_from(["add", "remove", "consolidate", "reload"]), st.integers(1, 400))
    return draw(st.lists(step, min_size=1, max_size=8))


@given(histories(), st.sampled_from([3, 8, 33, 64]), st.integers(0, 2**32 - 1))
def test_every_answer_is_near_the_exact_one(history: list[tuple[str, int]], dim: int, seed: int) -> None:
    """Against cosines in double precision, whatever happened to the index."""
    random = np.random.default_rng(seed)
    centers = random.standard_normal((6, dim))
    index = memspan.Index(dim, row_format="bfloat16", auto_consolidate=False)
    kept: dict[str, NDArray[np.float64]] = {}
    following = 0
    with tempfile.TemporaryDirectory() as directory:
        for step, count in history:
            if step == "add":
                ids = [str(following + i) for i in range(count)]
                following += count
                embeddings = centers[random.integers(0, 6, count)] + random.standard_normal((count, dim))
                index.add_many(user="ana", ids=ids, ats=np.arange(count), embeddings=embeddings)
                kept |= dict(zip(ids, unit(embeddings), strict=True))
            elif step == "remove":
                gone = list(kept)[::2][:count]
                assert index.remove(user="ana", ids=gone) == len(gone)
                for each in gone:
                    del kept[each]
            elif step == "consolidate":
                index.consolidate(user="ana", force=True)
            else:
                index.save(Path(directory, "saved"))
                index = memspan.Index.load(Path(directory, "saved"), auto_consolidate=False)
    query = unit(centers[0] + random.standard_normal(dim))
    found = index.search(user="ana", embedding=query, k=10, exact=True)
    cosines = {each: float(row @ query) for each, row in kept.items()}
    best = sorted(cosines.values(), reverse=True)[:10]
    assert len(found) == len(best)
    for hit, wanted in zip(found, best, strict=True):
        assert hit.views["semantic"][1] == pytest.approx(cosines[hit.id], abs=ERROR)
        assert hit.views["semantic"][1] == pytest.approx(wanted, abs=ERROR)
    again = index.search(user="ana", embedding=query, k=10, recall=1.0)
    assert [hit.id for hit in again] == [hit.id for hit in found]


def test_equal_vectors_stay_equal_and_of_length_one() -> None:
    """So that a repeated text is found as one, and is not taken for something like it."""
    index = memspan.Index(384, row_format="bfloat16", auto_consolidate=False)
    embedding = np.random.default_rng(2).standard_normal(384)
    for number in range(3):
        index.add(
            user="ana", id=str(number), at=number, embedding=embedding * (number + 1), recorded_at=number
        )
    assert [
        hit.views["semantic"][1] for hit in index.search(user="ana", embedding=embedding)
    ] == pytest.approx([1, 1, 1], abs=3e-5)
    pairs = index.duplicates(user="ana", threshold=0.9999).pairs
    assert {(pair.first, pair.second) for pair in pairs} == {("0", "1"), ("0", "2")}  # each with the first
    assert all(pair.cosine == pytest.approx(1, abs=3e-5) for pair in pairs)


@pytest.mark.parametrize("bad", [None, "", "float16", "BFLOAT16", 16, b"bfloat16"])
def test_other_formats_are_refused(bad: object) -> None:
    with pytest.raises(memspan.InvalidArgumentError, match=r"row_format.*float32.*bfloat16"):
        memspan.Index(DIM, row_format=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_point_either_way_are_loaded_again(tmp_path: Path, seed: int) -> None:
    """Of few values, rounded ones are a little longer than 1, and so is what their cosines with a mean vary by."""
    count = 301
    direction = np.random.default_rng(seed).standard_normal(2)
    rows = np.repeat([direction, -direction], [count // 2 + 1, count // 2], axis=0)
    index = memspan.Index(2, row_format="bfloat16", auto_consolidate=False)
    index.add_many(user="ana", ids=[f"m{i}" for i in range(count)], ats=list(range(count)), embeddings=rows)
    index.consolidate(user="ana", force=True)
    index.save(tmp_path / "snapshot")
    loaded = memspan.Index.load(tmp_path / "snapshot", auto_consolidate=False, verify=True)
    assert (
        loaded.search(user="ana", embedding=direction, k=count).ids
        == index.search(user="ana", embedding=direction, k=count).ids
    )


def test_equal_vectors_are_duplicates_whatever_rounding_does_to_their_lengths() -> None:
    random = np.random.default_rng(2)
    index = memspan.Index(64, row_format="bfloat16")
    for number in range(40):
        embedding = np.zeros(64)
        embedding[random.choice(64, 8, replace=False)] = random.standard_normal(8)
        for copy in "ab":
            index.add(user="ana", id=f"{number}{copy}", at=number, embedding=embedding)
    pairs = index.duplicates(user="ana", threshold=1.0).pairs
    assert sorted((pair.first, pair.second) for pair in pairs) == sorted(
        (f"{i}a", f"{i}b") for i in range(40)
    )
    assert {pair.cosine for pair in pairs} == {1.0}
