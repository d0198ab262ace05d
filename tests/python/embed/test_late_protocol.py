from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memspan.embed import HashEmbedder, validate_document_tokens, validate_query_tokens
from memspan.errors import EmbedderError


def rows(n: int, dim: int = 3) -> Any:
    return np.ones((n, dim), np.int8)


def test_good_documents_become_contiguous_arrays() -> None:
    given = (rows(0), np.asfortranarray(rows(2)), rows(64), rows(9)[::3])
    found = validate_document_tokens(given, 3, 4, "e")
    assert [vectors.shape for vectors in found] == [(0, 3), (2, 3), (64, 3), (3, 3)]
    assert all(vectors.flags.c_contiguous and vectors.dtype == np.int8 for vectors in found)
    assert validate_document_tokens([], 3, 0, "e") == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "a value of type NoneType; expected a list"),
        ("ab", "a value of type str; expected a list"),
        (np.ones((2, 4, 3), np.int8), r"int8 of shape \(2, 4, 3\); expected a list"),
        ([rows(1)], "1 arrays for 2 texts"),
        ([rows(1), rows(65)], r"int8 of shape \(65, 3\) for text 1 of 2; .*\(n, 3\), n at most 64"),
        ([rows(1, 4), rows(1)], r"int8 of shape \(1, 4\) for text 0 of 2; expected int8 of shape \(n, 3\)"),
        ([rows(1), rows(1).astype(np.float32)], r"float32 of shape \(1, 3\) for text 1 of 2; expected int8"),
        ([rows(1), rows(1)[0]], r"int8 of shape \(3,\) for text 1"),
        ([rows(1), [[1, 2, 3]]], "a value of type list for text 1"),
        ([rows(1), np.int8([[1, 2, 3], [0, 0, 0]])], "only zeros for a token of text 1 of 2"),
    ],
)
def test_unusable_documents_are_refused(answer: Any, message: str) -> None:
    with pytest.raises(EmbedderError, match=f"token embedder 'mine': returned {message}"):
        validate_document_tokens(answer, 3, 2, "mine")


def test_good_questions_become_contiguous_arrays() -> None:
    given = np.asfortranarray(np.eye(3, 4, dtype=np.float32))
    found = validate_query_tokens(given, 4, "e")
    assert found.flags.c_contiguous
    assert found.tolist() == given.tolist()
    assert validate_query_tokens(np.empty((0, 4), np.float32), 4, "e").shape == (0, 4)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "a value of type NoneType for a question; expected float32"),
        (np.eye(2, 3), r"float64 of shape \(2, 3\) for a question; expected float32 of shape \(n, 3\)"),
        (np.float32([1, 0, 0]), r"float32 of shape \(3,\)"),
        (np.eye(2, 4, dtype=np.float32), r"float32 of shape \(2, 4\)"),
        (np.ones((65, 3), np.float32), r"float32 of shape \(65, 3\) .* n at most 64"),
        (np.float32([[1, 0, 0], [0, np.nan, 0]]), "NaN or infinity for a token"),
        (np.float32([[np.inf, 0, 0]]), "NaN or infinity for a token"),
        (np.float32([[3, 4, 0]]), "a vector of length 5 for a question's token; expected 1"),
        (np.zeros((1, 3), np.float32), "a vector of length 0"),
    ],
)
def test_unusable_questions_are_refused(answer: Any, message: str) -> None:
    with pytest.raises(EmbedderError, match=f"token embedder 'mine': returned {message}"):
        validate_query_tokens(answer, 3, "mine")


def test_an_embedder_of_one_vector_a_text_is_told_apart() -> None:
    hashed = HashEmbedder(16)
    with pytest.raises(EmbedderError, match=r"float32 of shape \(2, 16\); expected a list of arrays"):
        validate_document_tokens(hashed.embed_documents(["a", "b"]), 16, 2, hashed.name)
    with pytest.raises(EmbedderError, match=r"float32 of shape \(16,\) for a question"):
        validate_query_tokens(hashed.embed_query("a"), 16, hashed.name)
