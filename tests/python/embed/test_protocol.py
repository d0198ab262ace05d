from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from memspan.embed.protocol import check_dim, check_texts, validate_vectors
from memspan.errors import EmbedderError, InvalidArgumentError


def test_good_vectors_become_contiguous_float32() -> None:
    vectors = validate_vectors(np.asfortranarray(np.eye(3, 4)), 4, 3, "e")
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    assert vectors.tolist() == np.eye(3, 4).tolist()


def test_no_texts_give_no_rows() -> None:
    assert validate_vectors([], 4, 0, "e").shape == (0, 4)


class Attached:
    """A tensor that keeps its gradient."""

    def __array__(self, *_: object, **__: object) -> Any:
        raise RuntimeError("this tensor requires grad")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([[1, 2, 3]], r"shape \(1, 3\) for 2 texts; expected \(2, 3\)"),
        ([1, 2, 3], r"shape \(3,\)"),
        ([[1, 2], [3, 4]], "dimension 2; expected 3"),
        ([[1, 2, 3], [4, float("nan"), 6]], "NaN or infinity for text 1 of 2"),
        ([[1, 2, float("-inf")], [4, 5, 6]], "NaN or infinity for text 0 of 2"),
        ([[1, 2, 1e300], [4, 5, 6]], "NaN or infinity for text 0 of 2"),
        ([[1, 2, 3], [0, 0, 0]], "only zeros for text 1 of 2"),
        ([["x", "y", "z"]] * 2, "not an array of numbers"),
        ([[10**400, 2, 3], [4, 5, 6]], "not an array of numbers"),
        (Attached(), "not an array of numbers .*requires grad"),
        ([[1, 2, 3], [4, 5]], "not an array of numbers"),
        (None, r"shape \(1,\)"),
    ],
)
def test_unusable_vectors_are_refused(array: Any, message: str) -> None:
    with pytest.raises(EmbedderError, match=message) as caught:
        validate_vectors(array, 3, 2, "my-model")
    assert "my-model" in str(caught.value)


def test_unknown_dimension_is_still_bounded() -> None:
    assert validate_vectors(np.ones((1, 5)), None, 1, "e").shape == (1, 5)
    with pytest.raises(EmbedderError, match="8192"):
        validate_vectors(np.ones((1, 8193)), None, 1, "e")
    with pytest.raises(EmbedderError, match="8192"):
        validate_vectors(np.ones((1, 0)), None, 1, "e")


def test_extreme_but_finite_vectors_pass() -> None:
    rows = np.array([[3e38, 3e38], [1e-45, 0.0]], dtype=np.float32)
    assert validate_vectors(rows, 2, 2, "e").tolist() == rows.tolist()


@pytest.mark.parametrize("texts", ["one text", b"bytes", None, 7, {"a"}, iter(["a"])])
def test_texts_must_be_a_sequence(texts: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"texts: got .* a sequence of str"):
        check_texts(texts)


@pytest.mark.parametrize("bad", [None, 1, b"x", "\ud800"])
def test_a_bad_text_is_named_by_position(bad: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"texts\[1\]"):
        check_texts(["fine", bad])


@pytest.mark.parametrize("dim", [0, -1, 8193, 1.0, True, "64", None])
def test_bad_dimensions_are_refused(dim: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="dim: got"):
        check_dim(dim)
