"""What every embedder offers, and the checks that every embedder's input and output pass through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import is_masked
from memspan.errors import EmbedderError, InvalidArgumentError, invalid
from memspan.limits import MAX_DIM

__all__ = ["Embedder", "check_text", "check_texts", "validate_vectors"]


class Embedder(Protocol):
    """Turns texts into vectors whose cosine says how alike the texts are.

    A store records `name`, `dim` and `checksum` when it is filled, and refuses an embedder that differs in
    any of them: vectors of different models cannot be compared. Implementations may be called from several
    threads at once.
    """

    @property
    def name(self) -> str:
        """The model's name, the same on every machine and never holding a secret."""

    @property
    def dim(self) -> int:
        """Length of every vector, 1..8192. May load a model or ask an endpoint on the first use."""

    @property
    def checksum(self) -> str:
        """Changes whenever the same document would get another vector; empty when that cannot be known."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts that will be searched.

        Returns:
            Array of shape `(len(texts), dim)`, float32, C-contiguous, row `i` for `texts[i]`; every value is
            finite and no row is zero. No texts give an array of shape `(0, dim)`.

        Raises:
            InvalidArgumentError: `texts` is not a sequence of strings.
            EmbedderError: the model or its endpoint failed or answered something unusable.
        """

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed one question; models that treat questions differently add their query prefix here.

        Returns:
            Array of shape `(dim,)`, float32, finite and not zero.

        Raises:
            InvalidArgumentError: `text` is not a string.
            EmbedderError: the model or its endpoint failed or answered something unusable.
        """


def check_text(text: Any, argument: str) -> str:
    """Return `text` when it is a string that UTF-8 can write; raise `InvalidArgumentError` otherwise."""
    if not isinstance(text, str):
        raise invalid(argument, text, "a str")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid(argument, text, "a str without lone surrogates") from None
    return text


def check_texts(texts: Any, argument: str = "texts") -> list[str]:
    """Return `texts` as a list when it is a sequence of valid strings.

    Raises:
        InvalidArgumentError: a single string, something that is not a sequence, or a bad item, named by
            position.
    """
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Sequence):
        raise invalid(argument, texts, "a sequence of str")
    return [check_text(text, f"{argument}[{position}]") for position, text in enumerate(texts)]


def check_count(value: Any, argument: str, low: int, high: int) -> int:
    """Return `value` when it is an int from `low` to `high`; raise `InvalidArgumentError` otherwise."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise invalid(argument, value, f"an int from {low} to {high}")
    return value


def check_dim(dim: Any, argument: str = "dim") -> int:
    """Return `dim` when it is an integer that an `Index` accepts; raise `InvalidArgumentError` otherwise."""
    return check_count(int(dim) if isinstance(dim, np.integer) else dim, argument, 1, MAX_DIM)


def validate_vectors(array: Any, dim: int | None, count: int, embedder_name: str) -> NDArray[np.float32]:
    """Check what an embedder produced and return it as a C-contiguous float32 array of shape `(count, dim)`.

    Args:
        array: anything numpy can read as numbers.
        dim: the expected length of a vector; None accepts any length from 1 to 8192.
        count: the number of texts that were embedded.
        embedder_name: for the message.

    Raises:
        EmbedderError: wrong shape, masked values, or a vector that is not numeric, not finite or zero, named by
            position.
    """

    def unusable(reason: str) -> EmbedderError:
        return EmbedderError(f"embedder {embedder_name!r}: {reason}")

    if is_masked(array) or (isinstance(array, (list, tuple)) and any(map(is_masked, array))):
        raise unusable("returned masked values, which are none")
    try:
        with np.errstate(over="ignore"):
            vectors = np.ascontiguousarray(array, dtype=np.float32)
    except Exception as error:  # such as that of a tensor that must not become an array
        raise unusable(f"returned something that is not an array of numbers ({error})") from error
    if count == 0 and vectors.size == 0:
        return np.empty((0, dim or 0), dtype=np.float32)
    if vectors.ndim != 2 or vectors.shape[0] != count:
        raise unusable(
            f"returned shape {vectors.shape} for {count} texts; expected ({count}, {dim or 'dim'})"
        )
    try:
        check_dim(vectors.shape[1])
    except InvalidArgumentError as error:
        raise unusable(f"returned vectors of an unusable dimension ({error})") from None
    if dim is not None and vectors.shape[1] != dim:
        raise unusable(f"returned vectors of dimension {vectors.shape[1]}; expected {dim}")
    # float64 keeps the square of any finite float32 finite, and of most tiny ones above zero.
    squares = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    for bad, what in ((~np.isfinite(squares), "NaN or infinity"), (squares == 0.0, "only zeros")):
        if bad.any():
            raise unusable(
                f"returned a vector that holds {what} for text {int(np.flatnonzero(bad)[0])} of {count}"
            )
    return vectors
