"""Convert a store to another embedder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from memspan.errors import StoreError
from memspan.store import Store

from .compose import embedded_text
from .embedding import StoreEmbedder
from .progress import tracking
from .snapshots import Snapshots

__all__ = ["convert"]

_TARGET: Final = "reembedding"
_BATCH: Final = 256


class _ChangedError(Exception):
    """A record came or changed since its vector was made."""


def convert(
    store: Store,
    target: StoreEmbedder,
    snapshots: Snapshots,
    progress: bool,
    adopting: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> int:
    """Embed every record with `target` and make that the store's embedder; returns how many were embedded
    now.

    The new vectors are staged batch by batch beside the valid ones and take their places in one transaction
    at the end. Until then the store works as before, also for writers: what they change meanwhile is embedded
    again. Killed half-way, the next call goes on where it stopped.

    Args:
        adopting: is around the last transaction.

    Raises:
        StoreError: another process began to convert the store to a different embedder.
        EmbedderError: the embedder failed; what is staged stays for the next attempt.
    """
    identity = target.identity.dump()
    with store.writing() as writer:
        there = writer.meta("embedder") == identity
        if not there and writer.meta(_TARGET) != identity:
            writer.discard_staged()
            writer.set_meta(_TARGET, identity)
        total = writer.count()
    if there:
        with adopting():
            return 0
    embedded = 0
    with tracking("re-embedding", total, progress) as advance:
        while True:
            embedded += _stage_missing(store, target, identity, advance)
            try:
                with adopting(), store.writing() as writer:
                    _require_target(store, writer.meta(_TARGET), identity)
                    if writer.unstaged(-1, 1):
                        raise _ChangedError
                    snapshots.delete(writer)
                    writer.adopt_staged()
                    writer.cold.drop_embeddings()
                    writer.set_meta("embedder", identity)
                    writer.set_meta(_TARGET, None)
            except _ChangedError:
                continue
            return embedded


def _stage_missing(store: Store, target: StoreEmbedder, identity: str, advance: Callable[[int], None]) -> int:
    """One pass over all records without an up-to-date staged vector."""
    last, staged = -1, 0
    while True:
        with store.reading() as reader:
            found, as_of = reader.unstaged(last, _BATCH), reader.sequence()
        if not found:
            return staged
        last = found[-1][0]
        records = [record for _, record in found]
        vectors = target.documents([embedded_text(record) for record in records])
        with store.writing() as writer:
            _require_target(store, writer.meta(_TARGET), identity)
            writer.stage(records, vectors, as_of)
        staged += len(records)
        advance(len(records))


def _require_target(store: Store, found: str | None, wanted: str) -> None:
    if found != wanted:
        raise StoreError(
            f"{store.path}: another process converts the store to embedder {found}, not {wanted}"
        )
