"""An embedder that remembers on disk what it embedded, so that a text is embedded once, whatever store it is for."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.embed.protocol import Embedder
from memspan.errors import StoreError

__all__ = ["CachedEmbedder"]

_WAIT_SECONDS: Final = 60


class CachedEmbedder:
    """Wraps an embedder; vectors of documents are kept in an SQLite file by a hash of model and text.

    Questions go to the embedder itself: how long they take is measured. Several processes may share the file.
    A store is keyed by how texts are composed, so that without this each change of a word's rules would embed
    everything again.
    """

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        self._path = path
        with self._database() as database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
            )

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dim(self) -> int:
        return self._inner.dim

    @property
    def checksum(self) -> str:
        return self._inner.checksum

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._inner.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [self._key(text) for text in texts]
        with self._database() as database:
            found = {key: self._read(database, key) for key in keys}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if found[key] is None}
        if missing:
            vectors = np.asarray(self._inner.embed_documents(list(missing.values())), np.float32)
            found.update(zip(missing, vectors, strict=True))
            with self._database() as database:
                rows = [(key, vector.tobytes()) for key, vector in zip(missing, vectors, strict=True)]
                database.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
        rows_in_order = [row for key in keys if (row := found[key]) is not None]
        return np.array(rows_in_order, np.float32).reshape(len(texts), self.dim)

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """A connection for one transaction; the model never runs inside it."""
        try:
            with closing(sqlite3.connect(self._path, timeout=_WAIT_SECONDS)) as database, database:
                yield database
        except sqlite3.Error as error:
            raise StoreError(
                f"{self._path}: not a usable cache of embeddings ({error}); delete it"
            ) from error

    def _key(self, text: str) -> bytes:
        content = "\0".join((self.name, self.checksum, "document", text))
        return hashlib.sha256(content.encode()).digest()

    def _read(self, database: sqlite3.Connection, key: bytes) -> NDArray[np.float32] | None:
        """The vector, unless there is none, or something else, which only a damaged file holds."""
        row = database.execute("SELECT value FROM vector WHERE key = ?", (key,)).fetchone()
        value = None if row is None else row[0]
        if not isinstance(value, bytes) or len(value) != self.dim * np.dtype(np.float32).itemsize:
            return None
        return np.frombuffer(value, np.float32)
