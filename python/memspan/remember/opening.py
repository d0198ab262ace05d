"""Open a store together with its embedder and index."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from memspan.arguments import as_byte_limit
from memspan.embed.resolve import resolve_embedder
from memspan.errors import EmbedderMismatchError, invalid
from memspan.index import ANALYZERS, ROW_FORMATS
from memspan.store import SqliteStore, StoreReader, inspect

from .audit.auditing import audited
from .capacity.quotas import settle_quotas
from .embedding import EmbedderIdentity, EmbedderSpec, StoreEmbedder
from .endings.lifetimes import settle_lifetimes
from .engine import Engine
from .index_options import IndexOptions
from .reembedding import convert
from .snapshots import Snapshots
from .tokens.opening_tokens import choose_tokens
from .tokens.store_tokens import TOKEN_SETTING, TokenEmbedderSpec
from .tokens.token_filling import fill_token_vectors

__all__ = ["make_snapshots", "open_engine"]

_UNSAID: Final = {"row_format": ROW_FORMATS[0]}
"""What a store has that does not say."""


def open_engine(
    path: str | os.PathLike[str],
    spec: EmbedderSpec,
    *,
    analyzer: str | None,
    reembed: bool,
    progress: bool,
    max_resident_bytes: int | None,
    auto_consolidate: bool,
    row_format: str | None = None,
    actor: str = "",
    token_embedder: TokenEmbedderSpec = None,
) -> Engine:
    """See `Memory`. Everything that can be refused is refused before a file is made or changed."""
    if analyzer is not None and analyzer not in ANALYZERS:
        raise invalid("analyzer", analyzer, f"one of {', '.join(ANALYZERS)}, or None for the store's own")
    if row_format is not None and row_format not in ROW_FORMATS:
        raise invalid(
            "row_format", row_format, f"one of {', '.join(ROW_FORMATS)}, or None for the store's own"
        )
    if not isinstance(path, (str, os.PathLike)):
        raise invalid("path", path, "a path to a file, such as 'agent.memspan'")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise invalid("path", path, "a path to a file that the file system can encode") from None
    as_byte_limit(
        max_resident_bytes, "max_resident_bytes"
    )  # `Index` would refuse it when there is a store already.
    found = inspect(path) if os.fspath(path) and "\0" not in str(os.fspath(path)) else None
    settings = {} if found is None else found.settings
    offered = None if spec is None and "embedder" in settings else resolve_embedder(spec)
    if offered is not None:
        identity = EmbedderIdentity.of(offered)
        if not reembed and "embedder" in settings:
            StoreEmbedder(
                path, EmbedderIdentity.parse(settings["embedder"], path), offered
            )  # Raises when they differ.
    elif reembed and token_embedder in (None, False):
        raise invalid("embedder", spec, "with reembed=True: the embedder to convert the store to")
    else:
        identity = EmbedderIdentity.parse(settings["embedder"], path)
    if analyzer is not None and settings.get("analyzer", analyzer) != analyzer:
        raise invalid(
            "analyzer", analyzer, f"{settings['analyzer']!r}, which this store was made with, or None"
        )

    tokens = choose_tokens(path, token_embedder, settings, identity, reembed=reembed)

    store = SqliteStore(path)
    try:
        wanted = {"row_format": row_format, TOKEN_SETTING: None if tokens is None else tokens.identity.dump()}
        made = {"embedder": identity.dump(), "analyzer": analyzer or ANALYZERS[0]}
        with store.reading() as reader:
            due = _due(reader, made, wanted)
        if due:  # Otherwise nobody waits here for a process that writes for long.
            with store.writing() as writer:
                # Another process may have made the store since it was looked into.
                due = _due(writer, made, wanted)
                if TOKEN_SETTING in due and writer.meta(TOKEN_SETTING) is not None:
                    writer.drop_token_vectors()
                for name, value in due.items():
                    writer.set_meta(name, value)
        with store.reading() as reader:
            recorded = reader.meta("embedder")
            chosen = reader.meta("analyzer") or ANALYZERS[0]
            kept_as = reader.meta("row_format") or ROW_FORMATS[0]
        assert recorded is not None
        if recorded != identity.dump() and not reembed:
            raise EmbedderMismatchError(
                f"{store.path}: another process filled it at this moment with embedder "
                f"{EmbedderIdentity.parse(recorded, path)}; this one has {identity}"
            )
        embedder = StoreEmbedder(store.path, identity, offered)
        snapshots = make_snapshots(store, embedder, chosen)
        converted = None
        if recorded != identity.dump():
            converted = convert(store, embedder, snapshots, progress)
        options = IndexOptions(max_resident_bytes, store.path.parent, auto_consolidate, kept_as)
        engine = Engine(store, embedder, snapshots, chosen, options, actor, tokens)
        engine.current()
        settle_quotas(engine)
        settle_lifetimes(engine)
        if reembed and tokens is not None:
            fill_token_vectors(engine, None, progress)
        if converted is not None:
            with engine.changing() as change:
                audited(change, "reembed", records=converted)
    except BaseException:
        store.close()
        raise
    return engine


def _due(reader: StoreReader, made: Mapping[str, str], wanted: Mapping[str, str | None]) -> dict[str, str]:
    """The settings that an opening has to write: those of a new store, and what is wanted otherwise than it is."""
    due = dict(made) if reader.meta("embedder") is None else {}
    for name, value in wanted.items():
        if value is not None and (reader.meta(name) or _UNSAID.get(name)) != value:
            due[name] = value
    return due


def make_snapshots(store: SqliteStore | Any, embedder: StoreEmbedder, analyzer: str) -> Snapshots:
    """The snapshot file of a store under this embedder and analyser."""
    return Snapshots(store.path, asdict(embedder.identity), analyzer)
