"""An embedder without a model: words and their character trigrams hashed into dimensions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memspan.embed.protocol import check_dim, check_text, check_texts

__all__ = ["HashEmbedder"]

_WORD = re.compile(r"\w+")
_WORD_WEIGHT = 3
_CACHED_WORDS = 1 << 15
_CACHED_LENGTH = 48
_CHUNK = 2048


class HashEmbedder:
    """Deterministic feature hashing of words and character trigrams; no weights, no meaning.

    For tests and for trying things out: texts that share words or parts of words are close, synonyms are
    not. A vector depends on the text and `dim` alone, bit for bit, in every process and on every machine: the
    features are summed as integers, and only the last step, the division by the length, is in floating
    point.

    Args:
        dim: length of the vectors, 1..8192.

    Raises:
        InvalidArgumentError: `dim` is not an integer in that range.
    """

    name = "hash"
    checksum = "words+trigrams/blake2b/1"

    def __init__(self, dim: int = 64) -> None:
        self.dim = check_dim(dim)
        # Rows are immutable once stored and a lost race only computes one twice, so no lock is needed.
        self._rows: dict[str, NDArray[np.int32]] = {}

    def __repr__(self) -> str:
        return f"HashEmbedder(dim={self.dim})"

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts; linear in their length. See `Embedder.embed_documents`."""
        checked = check_texts(texts)
        vectors = np.empty((len(checked), self.dim), dtype=np.float32)
        for start in range(0, len(checked), _CHUNK):
            chunk = checked[start : start + _CHUNK]
            vectors[start : start + len(chunk)] = self._embed(chunk)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed one question, exactly as `embed_documents` would."""
        vector: NDArray[np.float32] = self._embed([check_text(text, "text")])[0]
        return vector

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        rows: list[NDArray[np.int32]] = []
        starts = np.empty(len(texts), dtype=np.intp)
        for position, text in enumerate(texts):
            starts[position] = len(rows)
            # A text without a letter or digit (an emoji, nothing at all) is one feature by itself.
            for word in _WORD.findall(text.lower()) or (text,):
                row = self._rows.get(word)
                rows.append(self._word_row(word) if row is None else row)
        table = np.concatenate(rows).reshape(-1, self.dim)
        sums = np.add.reduceat(table, starts, axis=0, dtype=np.int64)
        squares = np.einsum("ij,ij->i", sums, sums)
        for zero in np.flatnonzero(squares == 0).tolist():
            # Signed features can cancel; the text as a whole is one feature and cannot.
            sums[zero] = self._hash([texts[zero]], 1)
            squares[zero] = 1
        lengths = np.sqrt(squares.astype(np.float64))
        return np.asarray(sums / lengths[:, None], dtype=np.float32)

    def _word_row(self, word: str) -> NDArray[np.int32]:
        framed = f"<{word}>"
        row = self._hash((framed[i : i + 3] for i in range(len(framed) - 2)), 1)
        row += self._hash((word,), _WORD_WEIGHT)
        if len(word) <= _CACHED_LENGTH:
            if len(self._rows) >= _CACHED_WORDS:
                self._rows = {}
            self._rows[word] = row
        return row

    def _hash(self, features: Iterable[str], weight: int) -> NDArray[np.int32]:
        row = np.zeros(self.dim, dtype=np.int32)
        for feature in features:
            digest = hashlib.blake2b(feature.encode(), digest_size=8).digest()
            value = int.from_bytes(digest, "little")
            row[(value >> 1) % self.dim] += weight if value & 1 else -weight
        return row
