"""Convert an open memory to another embedder."""

from __future__ import annotations

from functools import partial

from memspan.embed.resolve import resolve_embedder

from .audit.auditing import audited
from .embedding import EmbedderIdentity, EmbedderSpec, StoreEmbedder
from .engine import Engine
from .opening import make_snapshots
from .reembedding import convert

__all__ = ["reembed"]


def reembed(engine: Engine, embedder: EmbedderSpec, progress: bool) -> int:
    """See `Memory.reembed`."""
    engine.require_open()
    resolved = resolve_embedder(embedder)
    target = StoreEmbedder(engine.store.path, EmbedderIdentity.of(resolved), resolved)
    snapshots = make_snapshots(engine.store, target, engine.analyzer)
    adopting = partial(engine.adopting, target, snapshots)
    count = convert(engine.store, target, snapshots, progress, adopting)
    with engine.changing() as change:
        audited(change, "reembed", records=count)
    return count
