"""A token embedder made for tests: each word has its own direction."""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memspan.embed.late.protocol import MAX_TOKEN_VECTORS
from memspan.errors import EmbedderError

DIM = 48


class WordTokens:
    """The vector of a word depends on the word only; remembers the texts that it was given.

    Args:
        name: of the model.
        same: words that have the vector of another one.
        dim: of each vector.
    """

    def __init__(self, name: str = "words", same: Mapping[str, str] | None = None, dim: int = DIM) -> None:
        self.name, self.dim, self.checksum = name, dim, ""
        self.same = dict(same or {})
        self.documents: list[str] = []
        self.questions: list[str] = []
        self.calls = 0
        self.before: Callable[[Sequence[str]], Any] = lambda texts: None
        """Is told the texts before they are embedded; may raise, or wait."""
        self._lock = threading.Lock()

    def embed_documents(self, texts: Sequence[str]) -> list[NDArray[np.int8]]:
        self.before(texts)
        with self._lock:
            self.calls += 1
            self.documents += texts
        return [np.rint(self._vectors(text) * 127).astype(np.int8) for text in texts]

    def embed_query(self, text: str) -> NDArray[np.float32]:
        with self._lock:
            self.questions.append(text)
        return self._vectors(text)

    def _vectors(self, text: str) -> NDArray[np.float32]:
        words = [self.same.get(word, word) for word in re.findall(r"\w+", text.lower())][:MAX_TOKEN_VECTORS]
        rows = np.zeros((len(words), self.dim), np.float32)
        for row, word in zip(rows, words, strict=True):
            seed = zlib.crc32(f"{self.name} {word}".encode())
            row[:] = np.random.default_rng(seed).normal(size=self.dim)
            row /= np.linalg.norm(row)
        return rows


class Broken:
    """Raises, as `before` of `WordTokens`, when a text holds the word."""

    def __init__(self, word: str = "") -> None:
        self.word = word

    def __call__(self, texts: Sequence[str]) -> None:
        if any(self.word in text for text in texts):
            raise EmbedderError("the model is broken")
