"""What every embedder for late interaction offers, and the checks of what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from memspan.errors import EmbedderError

__all__ = ["MAX_TOKEN_VECTORS", "TokenEmbedder", "validate_document_tokens", "validate_query_tokens"]

MAX_TOKEN_VECTORS: Final = 64
"""Most vectors that one text may have."""

_UNIT_TOLERANCE: Final = 1e-3


class TokenEmbedder(Protocol):
    """Turns a text into vectors of its tokens, for late interaction: a record answers a question the better, the
    larger the mean over the question's tokens of the best cosine with a token of the record (MaxSim: Khattab and
    Zaharia, "ColBERT", SIGIR 2020).

    A store records `name`, `dim` and `checksum`: vectors of different models cannot be compared. Implementations
    may be called from several threads at once.
    """

    @property
    def name(self) -> str:
        """The model's name, the same on every machine and never holding a secret."""

    @property
    def dim(self) -> int:
        """Length of every vector, 1..8192. May read a file on the first use."""

    @property
    def checksum(self) -> str:
        """Changes whenever the same document would get other vectors; empty when that cannot be known."""

    def embed_documents(self, texts: Sequence[str]) -> list[NDArray[np.int8]]:
        """Embed the tokens of texts that will be searched.

        Returns:
            For each text an array of shape `(n, dim)`, int8, C-contiguous, `n` from 0 to 64: directions, whose
            lengths mean nothing. No row is zero. A text without tokens worth a vector gives `(0, dim)`.

        Raises:
            InvalidArgumentError: `texts` is not a sequence of strings.
            EmbedderError: the model failed or answered something unusable.
        """

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed the tokens of one question.

        Returns:
            Array of shape `(n, dim)`, float32, C-contiguous, rows of length 1, `n` from 0 to 64.

        Raises:
            InvalidArgumentError: `text` is not a string.
            EmbedderError: the model failed or answered something unusable.
        """


def validate_document_tokens(answer: Any, dim: int, count: int, embedder_name: str) -> list[NDArray[np.int8]]:
    """Check what `TokenEmbedder.embed_documents` returned, and return it as C-contiguous int8 arrays.

    Args:
        answer: what came.
        dim: the expected length of a vector.
        count: the number of texts that were embedded.
        embedder_name: for the message.

    Raises:
        EmbedderError: not as many arrays as texts, or one of another type or shape, of more than 64 rows, or with
            a row of zeros; named by the position of its text. O(numbers).
    """
    if not isinstance(answer, Sequence) or isinstance(answer, (str, bytes)):
        raise _unusable(embedder_name, f"returned {_told(answer)}; expected a list of arrays")
    if len(answer) != count:
        raise _unusable(embedder_name, f"returned {len(answer)} arrays for {count} texts")
    for position, array in enumerate(answer):
        _require_shape(array, np.int8, dim, f"for text {position} of {count}", embedder_name)
        if not array.any(axis=1).all():
            raise _unusable(embedder_name, f"returned only zeros for a token of text {position} of {count}")
    return [np.ascontiguousarray(array) for array in answer]


def validate_query_tokens(answer: Any, dim: int, embedder_name: str) -> NDArray[np.float32]:
    """Check what `TokenEmbedder.embed_query` returned, and return it as a C-contiguous float32 array.

    Args:
        answer: what came.
        dim: the expected length of a vector.
        embedder_name: for the message.

    Raises:
        EmbedderError: an array of another type or shape, of more than 64 rows, or with a row that is not finite or
            whose length is not 1. O(numbers).
    """
    _require_shape(answer, np.float32, dim, "for a question", embedder_name)
    squares = np.einsum("ij,ij->i", answer, answer, dtype=np.float64)
    if not np.isfinite(squares).all():
        raise _unusable(embedder_name, "returned NaN or infinity for a token of a question")
    lengths = np.sqrt(squares)
    wrong = np.flatnonzero(np.abs(lengths - 1.0) > _UNIT_TOLERANCE)
    if wrong.size:
        length = lengths[wrong[0]]
        raise _unusable(
            embedder_name, f"returned a vector of length {length:.3g} for a question's token; expected 1"
        )
    return np.ascontiguousarray(answer)


def _require_shape(array: Any, kind: type[np.generic], dim: int, what: str, embedder_name: str) -> None:
    if (
        not isinstance(array, np.ndarray)
        or array.dtype != kind
        or array.ndim != 2
        or array.shape[1] != dim
        or array.shape[0] > MAX_TOKEN_VECTORS
    ):
        raise _unusable(
            embedder_name,
            f"returned {_told(array)} {what}; expected {np.dtype(kind)} of shape (n, {dim}), "
            f"n at most {MAX_TOKEN_VECTORS}",
        )


def _told(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return f"a value of type {type(value).__name__}"


def _unusable(embedder_name: str, reason: str) -> EmbedderError:
    return EmbedderError(f"token embedder {embedder_name!r}: {reason}")
