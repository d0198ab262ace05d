from __future__ import annotations

import hashlib
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memspan.embed import HashEmbedder
from memspan.errors import InvalidArgumentError

TEXTS = ["", " ", "The cat sat.", "Die Straße nach Zürich", "猫が好き", "🦊", "a" * 5000, "gpt-4.1-mini!"]
# Vectors must never change: stores filled by this embedder would silently stop matching.
GOLDEN = "2928a9e966a7691495ffa4bd2338b347fcaaa05bc7d5275817f1fd78aa427bee"

text = st.text(st.characters(exclude_categories=["Cs"]))


def digest(dim: int) -> str:
    return hashlib.sha256(HashEmbedder(dim).embed_documents(TEXTS).tobytes()).hexdigest()


def test_vectors_are_the_same_for_ever() -> None:
    assert digest(64) == GOLDEN


def test_vectors_are_the_same_in_another_process() -> None:
    program = (
        "import hashlib, sys; from memspan.embed import HashEmbedder\n"
        f"print(hashlib.sha256(HashEmbedder(32).embed_documents({TEXTS!a}).tobytes()).hexdigest())"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == digest(32)


@given(st.lists(text, max_size=8), st.sampled_from([1, 2, 3, 64]))
def test_every_vector_has_length_one_and_no_neighbours(texts: list[str], dim: int) -> None:
    embedder = HashEmbedder(dim)
    vectors = embedder.embed_documents(texts)
    assert vectors.shape == (len(texts), dim)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    for row, one in zip(vectors, texts, strict=True):
        assert np.array_equal(row, HashEmbedder(dim).embed_query(one))


def test_shared_words_and_parts_of_words_bring_texts_closer() -> None:
    embedder = HashEmbedder(512)
    query = embedder.embed_query("camping in the mountains")
    near, inflected, far = embedder.embed_documents(
        ["We went camping in the mountains", "She camped on a mountain", "Invoice number seven is overdue"]
    )
    assert query @ near > query @ inflected > query @ far


def test_cancelled_features_never_leave_a_zero_vector() -> None:
    embedder = HashEmbedder(1)
    vectors = embedder.embed_documents([f"{a} {b}" for a in range(40) for b in range(40)])
    assert set(np.abs(vectors).ravel().tolist()) == {1.0}


def test_the_word_cache_is_bounded() -> None:
    embedder = HashEmbedder(2)
    before = embedder.embed_query("w7")
    embedder.embed_documents([" ".join(f"w{i}" for i in range(j, j + 5000)) for j in range(0, 50_000, 5000)])
    assert len(embedder._rows) <= 1 << 15
    assert np.array_equal(embedder.embed_query("w7"), before)


def test_threads_agree() -> None:
    embedder = HashEmbedder(16)
    texts = [f"word{i} word{i + 1} word{i % 7}" for i in range(500)]
    expected = HashEmbedder(16).embed_documents(texts)
    results: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: results.append(embedder.embed_documents(texts))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


@pytest.mark.parametrize("dim", [0, 8193, "64", 1.5, True])
def test_bad_dimensions_are_refused(dim: object) -> None:
    with pytest.raises(InvalidArgumentError, match="dim"):
        HashEmbedder(dim)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [None, 3, b"x", "\udfff"])
def test_bad_texts_are_refused(bad: object) -> None:
    with pytest.raises(InvalidArgumentError, match="text"):
        HashEmbedder().embed_query(bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match=r"texts\[0\]"):
        HashEmbedder().embed_documents([bad])  # type: ignore[list-item]
