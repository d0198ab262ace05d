"""The embedder of a store: its identity, and embedding with checks."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.embed.late.protocol import TokenEmbedder
from memspan.embed.protocol import Embedder, validate_vectors
from memspan.embed.registry import DEFAULT_MODEL
from memspan.embed.resolve import resolve_embedder
from memspan.errors import EmbedderMismatchError, InvalidArgumentError, StoreError

__all__ = ["EmbedderIdentity", "EmbedderSpec", "StoreEmbedder"]

EmbedderSpec: TypeAlias = Embedder | Callable[[list[str]], Any] | str | None

_BATCH: Final = 256


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What a store records about the embedder that filled it."""

    name: str
    dim: int
    checksum: str

    @classmethod
    def of(cls, embedder: Embedder | TokenEmbedder) -> EmbedderIdentity:
        """The identity of an embedder; may load its model."""
        return cls(embedder.name, int(embedder.dim), embedder.checksum)

    @classmethod
    def parse(cls, text: str, path: object) -> EmbedderIdentity:
        """Read what `dump` wrote into the store of that path.

        Raises:
            StoreError: it wrote something else; names the path.
        """
        try:
            values = json.loads(text)
            return cls(str(values["name"]), int(values["dim"]), str(values["checksum"]))
        except (ValueError, TypeError, LookupError):
            raise StoreError(
                f"{path}: the database is damaged (the embedder that it names, {text!r}, cannot be read); restore it "
                "from a backup"
            ) from None

    def dump(self) -> str:
        """As JSON, always the same text for the same identity."""
        return json.dumps(asdict(self), sort_keys=True)

    def __str__(self) -> str:
        checksum = f", checksum {self.checksum[:16]}" if self.checksum else ""
        return f"'{self.name}' (dimension {self.dim}{checksum})"


class StoreEmbedder:
    """The embedder that belongs to a store, made when it is first needed.

    Reading, exporting and forgetting then work on a machine that does not have the model. Thread-safe.
    """

    def __init__(self, path: object, identity: EmbedderIdentity, embedder: Embedder | None = None) -> None:
        self.identity: Final = identity
        self.recorded: Final = identity.dump()
        """What the store says of it; every write compares that."""
        self._path = path
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        if embedder is not None:
            self._embedder = self._matching(embedder)

    def documents(
        self, texts: Sequence[str], advance: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Embed texts in batches; shape (len(texts), dim). `advance` is told the size of each finished batch.

        Raises:
            EmbedderError: the embedder failed or returned something else than finite vectors of that
                dimension.
            EmbedderMismatchError, ModelNotFoundError, MissingExtraError: the store's embedder is not to be
                had here.
        """
        embedder = self._get()
        result = np.empty((len(texts), self.identity.dim), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            vectors = validate_vectors(
                embedder.embed_documents(batch), self.identity.dim, len(batch), self.identity.name
            )
            result[start : start + len(batch)] = vectors
            if advance is not None:
                advance(len(batch))
        return result

    def query(self, text: str) -> NDArray[np.float32]:
        """Embed a question; shape (dim,). Raises as `documents`."""
        vector = self._get().embed_query(text)
        checked = validate_vectors([vector], self.identity.dim, 1, self.identity.name)
        return checked.reshape(-1)

    def after_fork(self) -> None:
        """Replace the lock, which a thread that the child does not have may hold."""
        self._lock = threading.Lock()

    def _get(self) -> Embedder:
        with self._lock:
            if self._embedder is None:
                self._embedder = self._matching(self._resolve_recorded())
            return self._embedder

    def _resolve_recorded(self) -> Embedder:
        """The embedder of the recorded name. Only names of known models resolve: a store cannot name a file
        to load.
        """
        name = self.identity.name
        try:
            return resolve_embedder(f"hash:{self.identity.dim}" if name == "hash" else name)
        except InvalidArgumentError:
            raise EmbedderMismatchError(
                f"{self._path}: filled by embedder {self.identity}, which is not a known model; pass that "
                f"embedder as `embedder`, or convert the store: "
                f"Memory(path, embedder='{DEFAULT_MODEL}', reembed=True) or `memspan reembed`"
            ) from None

    def _matching(self, embedder: Embedder) -> Embedder:
        offered = EmbedderIdentity.of(embedder)
        if offered != self.identity:
            raise EmbedderMismatchError(
                f"{self._path}: filled by embedder {self.identity}, opened with {offered}; pass the embedder "
                "that filled it, or convert the store with Memory(path, embedder=..., reembed=True), "
                "Memory.reembed or `memspan reembed`"
            )
        return embedder
