"""The token embedder of a store: what it made of texts that are about to be written, and what searches fetched."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.embed.late.protocol import TokenEmbedder, validate_document_tokens, validate_query_tokens
from memspan.embed.late.resolve import resolve_token_embedder
from memspan.errors import EmbedderMismatchError
from memspan.ranking.late import TokenBlocks
from memspan.records import Record
from memspan.remember.compose import embedded_text
from memspan.remember.embedding import EmbedderIdentity
from memspan.store import StoreReader, StoreWriter

from .token_cache import TokenCache

__all__ = ["TOKEN_SETTING", "StoreTokens", "TokenEmbedderSpec", "require_same"]

TOKEN_SETTING: Final = "token_embedder"  # noqa: S105
"""The setting of a store that names its token embedder."""

TokenEmbedderSpec: TypeAlias = TokenEmbedder | str | Literal[False] | None

_BATCH: Final = 256
# Of texts that were embedded and then refused: nobody is as long about to write them.
_WAITING_SECONDS: Final = 3600.0
_WRITING_SECONDS: Final = 600.0
"""Where something is forgotten; what waits for less is about to be written, by others perhaps."""


@dataclass(slots=True)
class _Waiting:
    """The token vectors of a text that is about to be written."""

    vectors: NDArray[np.int8]
    since: float
    records: int = 0
    """How many will take them."""


class StoreTokens:
    """Token vectors of a store's records (`memspan.embed.TokenEmbedder`): made before a transaction, written in it
    with their records, fetched for the best of a search and kept in memory until the records change.

    Thread-safe.

    Args:
        path: of the store, for messages.
        identity: of the token embedder that the store's vectors are of.
        embedder: that one; `None`: the known model of the recorded name, loaded when it is first needed.
    """

    def __init__(
        self, path: object, identity: EmbedderIdentity, embedder: TokenEmbedder | None = None
    ) -> None:
        self.identity: Final = identity
        self.recorded: Final = identity.dump()
        """What the store says of it; every write compares that."""
        self._path = path
        self._embedder = embedder
        self._lock = threading.Lock()
        self._waiting: dict[str, _Waiting] = {}
        self._cache: Final = TokenCache(identity.dim)

    def make(self, texts: Sequence[str]) -> None:
        """Embed texts of records that will be written soon, a text for each record, see `write`.

        Raises:
            EmbedderError: the token embedder failed.
            EmbedderMismatchError, ModelNotFoundError, MissingExtraError: the store's is not to be had here.
        """
        embedder = self._get()
        self._drop_waiting(_WAITING_SECONDS)
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            made = validate_document_tokens(
                embedder.embed_documents(batch), self.identity.dim, len(batch), self.identity.name
            )
            now = monotonic()
            with self._lock:
                for text, vectors in zip(batch, made, strict=True):
                    self._waiting.setdefault(text, _Waiting(vectors, now)).records += 1

    def write(self, writer: StoreWriter, records: Sequence[Record], *, as_of: int | None = None) -> int:
        """Write the token vectors of those of the records whose texts were embedded; returns how many those are.

        The others keep what they have: a record of the same words keeps its vectors whatever else changes.
        """
        by_user: dict[str, dict[str, NDArray[np.int8]]] = {}
        with self._lock:
            if not self._waiting:
                return 0
            for record in records:
                text = embedded_text(record)
                waiting = self._waiting.get(text)
                if waiting is None:
                    continue
                by_user.setdefault(record.user, {})[record.id] = waiting.vectors
                waiting.records -= 1
                if not waiting.records:
                    del self._waiting[text]
        for user, of_user in by_user.items():
            writer.put_token_vectors(user, of_user, as_of=as_of)
        return sum(map(len, by_user.values()))

    def question(self, text: str) -> NDArray[np.float32]:
        """The token vectors of a question: shape (tokens, dim), rows of length 1.

        Raises:
            EmbedderError, EmbedderMismatchError, ModelNotFoundError, MissingExtraError: as for `make`.
        """
        return validate_query_tokens(self._get().embed_query(text), self.identity.dim, self.identity.name)

    def of(self, reader: StoreReader, user: str, ids: Sequence[str]) -> list[TokenBlocks]:
        """The token vectors of records; none for those that have none. See `TokenCache.of`."""
        return self._cache.of(reader, user, ids)

    def forget(self, user: str | None = None) -> None:
        """Let go what was fetched of a user, or of all, as after an erasure, and what was embedded and then refused."""
        self._drop_waiting(_WRITING_SECONDS)
        self._cache.forget(user)

    def after_fork(self) -> None:
        """Start afresh: a thread that the child does not have may hold the lock, in the middle of a change."""
        self._lock = threading.Lock()
        self._waiting = {}
        self._cache.after_fork()

    def _drop_waiting(self, seconds: float) -> None:
        """Let go what has waited for so long."""
        with self._lock:
            late = monotonic() - seconds
            self._waiting = {text: each for text, each in self._waiting.items() if each.since > late}

    def _get(self) -> TokenEmbedder:
        embedder = self._embedder
        if embedder is None:
            embedder = resolve_token_embedder(self.identity.name)
            require_same(self._path, self.identity, embedder)
            self._embedder = embedder  # Two threads may both make one: it is loaded when it is first used.
        return embedder


def require_same(path: object, identity: EmbedderIdentity, embedder: TokenEmbedder) -> None:
    """Raise `EmbedderMismatchError` when the store's token vectors are of another token embedder."""
    offered = EmbedderIdentity.of(embedder)
    if offered != identity:
        raise EmbedderMismatchError(
            f"{path}: its token vectors are of {identity}, not of {offered}; open it with token_embedder=False to do "
            f"without, or make them anew with Memory(path, token_embedder={offered.name!r}, reembed=True)"
        )
