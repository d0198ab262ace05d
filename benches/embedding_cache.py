"""An embedder that remembers on disk what it embedded, so that a benchmark run twice embeds once."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memspan.embed.protocol import Embedder


class CachedEmbedder:
    """Wraps an embedder; vectors are kept in an SQLite file by a hash of model, role and text.

    Not for concurrent use.
    """

    def __init__(self, inner: Embedder, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self._path = directory / "embeddings.sqlite"
        with closing(sqlite3.connect(self._path)) as database, database:
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

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [self._key("document", text) for text in texts]
        with closing(sqlite3.connect(self._path)) as database, database:
            found = {key: self._read(database, key) for key in keys}
            missing = {key: text for key, text in zip(keys, texts, strict=True) if found[key] is None}
            if missing:
                vectors = self._inner.embed_documents(list(missing.values()))
                for key, vector in zip(missing, vectors, strict=True):
                    found[key] = self._write(database, key, vector)
        rows = [row for key in keys if (row := found[key]) is not None]
        return np.array(rows, np.float32).reshape(len(texts), self.dim)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        key = self._key("query", text)
        with closing(sqlite3.connect(self._path)) as database, database:
            found = self._read(database, key)
            return self._write(database, key, self._inner.embed_query(text)) if found is None else found

    def _key(self, role: str, text: str) -> bytes:
        content = "\0".join((self.name, self.checksum, role, text))
        return hashlib.sha256(content.encode()).digest()

    def _read(self, database: sqlite3.Connection, key: bytes) -> NDArray[np.float32] | None:
        row = database.execute("SELECT value FROM vector WHERE key = ?", (key,)).fetchone()
        return None if row is None else np.frombuffer(row[0], np.float32)

    def _write(
        self, database: sqlite3.Connection, key: bytes, vector: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        database.execute("INSERT OR REPLACE INTO vector VALUES (?, ?)", (key, vector.tobytes()))
        return vector
