"""The token embedder of a store: what it made of texts that are about to be written, and what searches fetched."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memspan.embed.late_protocol import TokenEmbedder, validate_document_tokens, validate_query_tokens
from memspan.embed.late_resolve import resolve_token_embedder
from memspan.errors import EmbedderMismatchError
from memspan.records import Record
from memspan.store import StoreReader, StoreWriter

from .compose import embedded_text
from .embedding import EmbedderIdentity

__all__ = ["TOKEN_SETTING", "StoreTokens", "TokenEmbedderSpec", "require_same"]

TOKEN_SETTING: Final = "token_embedder"  # noqa: S105
"""The setting of a store that names its token embedder."""

TokenEmbedderSpec: TypeAlias = "TokenEmbedder | str | Literal[False] | None"

_BATCH: Final = 256
# Of texts that were embedded and then refused: nobody is as long about to write them.
_WAITING_SECONDS: Final = 3600.0
# Of what searches fetched, over all users.
_MOST_BYTES: Final = 64 << 20
_NONE: Final = np.zeros((0, 0), np.int8)


@dataclass(slots=True)
class _Known:
    """What was fetched of one user."""

    sequence: int
    """The point of the store's sequence at which all of it was right."""
    vectors: dict[str, tuple[tuple[int, int], NDArray[np.int8]]]
    """By id: the key and sequence of its row, and its vectors."""
    bytes: int = 0


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
        self._path = path
        self._embedder = embedder
        self._lock = threading.Lock()
        self._waiting: dict[str, _Waiting] = {}
        self._known: OrderedDict[str, _Known] = OrderedDict()

    def make(self, texts: Sequence[str]) -> None:
        """Embed texts of records that will be written soon, a text for each record, see `write`.

        Raises:
            EmbedderError: the token embedder failed.
            EmbedderMismatchError, ModelNotFoundError, MissingExtraError: the store's is not to be had here.
        """
        embedder = self._get()
        with self._lock:
            late = monotonic() - _WAITING_SECONDS
            self._waiting = {text: each for text, each in self._waiting.items() if each.since > late}
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

    def of(self, reader: StoreReader, user: str, ids: Sequence[str]) -> list[NDArray[np.int8]]:
        """The token vectors of records, shape (n, dim) each; (0, 0) for those that have none.

        One query when the store has changed since the user's were fetched, and one when some are missing.
        """
        sequence = reader.sequence()
        with self._lock:
            known = self._known.get(user)
            if known is not None and known.sequence == sequence:
                self._known.move_to_end(user)
                found = {id_: known.vectors[id_][1] for id_ in ids if id_ in known.vectors}
                if len(found) == len(ids):
                    return [found[id_] for id_ in ids]
        versions = reader.record_versions(user, ids)
        with self._lock:
            kept = {} if known is None else known.vectors
            found = {id_: kept[id_][1] for id_ in ids if id_ in kept and kept[id_][0] == versions.get(id_)}
        missing = [id_ for id_ in ids if id_ not in found]
        fetched = reader.token_vectors(user, missing, self.identity.dim) if missing else {}
        found |= {id_: each.vectors for id_, each in fetched.items()}
        # Not that some have none: they may get some, which does not advance the sequence.
        self._keep(user, sequence, {id_: (versions[id_], vectors) for id_, vectors in found.items()})
        return [found.get(id_, _NONE) for id_ in ids]

    def forget(self, user: str | None = None) -> None:
        """Let go what was fetched of a user, or of all, as after an erasure."""
        with self._lock:
            self._waiting.clear()
            if user is None:
                self._known.clear()
            else:
                self._known.pop(user, None)

    def after_fork(self) -> None:
        """Start afresh: a thread that the child does not have may hold the lock, in the middle of a change."""
        self._lock = threading.Lock()
        self._waiting, self._known = {}, OrderedDict()

    def _get(self) -> TokenEmbedder:
        embedder = self._embedder
        if embedder is None:
            embedder = resolve_token_embedder(self.identity.name)
            require_same(self._path, self.identity, embedder)
            self._embedder = embedder  # Two threads may both make one: it is loaded when it is first used.
        return embedder

    def _keep(
        self, user: str, sequence: int, fetched: dict[str, tuple[tuple[int, int], NDArray[np.int8]]]
    ) -> None:
        """Take in what is right at this point of the sequence; what was right at an earlier one goes."""
        with self._lock:
            known = self._known.pop(user, None)
            if known is None or known.sequence != sequence:
                known = _Known(sequence, {})
            known.vectors.update(fetched)
            known.bytes = sum(vectors.nbytes for _, vectors in known.vectors.values())
            self._known[user] = known
            while len(self._known) > 1 and sum(each.bytes for each in self._known.values()) > _MOST_BYTES:
                self._known.popitem(last=False)
            if known.bytes > _MOST_BYTES:
                self._known.clear()


def require_same(path: object, identity: EmbedderIdentity, embedder: TokenEmbedder) -> None:
    """Raise `EmbedderMismatchError` when the store's token vectors are of another token embedder."""
    offered = EmbedderIdentity.of(embedder)
    if offered != identity:
        raise EmbedderMismatchError(
            f"{path}: its token vectors are of {identity}, not of {offered}; open it with token_embedder=False to do "
            f"without, or make them anew with Memory(path, token_embedder={offered.name!r}, reembed=True)"
        )
