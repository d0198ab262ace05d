"""The stores that conversations are kept in between evaluations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import platformdirs

from memspan.base.user_folders import user_folder
from memspan.embed.protocol import Embedder
from memspan.errors import invalid
from memspan.formats import Turn
from memspan.formats.questions import LabelledFile
from memspan.ingestion import IngestReport, ingest_turns
from memspan.memory import Memory
from memspan.recipes import Recipe
from memspan.remember.compose import COMPOSE_VERSION
from memspan.remember.embedding import EmbedderIdentity
from memspan.store.schema.tables import SCHEMA_VERSION

from .construction import Making
from .embedding_cache import CachedEmbedder

__all__ = ["Advance", "default_directory", "fill", "opened_store", "pending_users", "store_path"]

Advance = Callable[[int], object]

_BATCH = 64
"""Turns a transaction: what an interruption may cost."""

_CONTENT = tuple(field.name for field in fields(Turn) if field.name != "position")


def default_directory() -> Path:
    """Below the user's cache directory.

    Raises:
        InvalidArgumentError: no home directory is known.
    """
    cache = user_folder(platformdirs.user_cache_dir)
    if cache is None:
        raise invalid("store_dir", None, "a folder, where no home directory is known")
    return cache / "eval"


def store_path(directory: Path, file: LabelledFile, embedder: Embedder, making: Making | None = None) -> Path:
    """Where the conversations of a file are kept.

    The name holds a hash of all that the store depends on: every turn as the reader gives it (so that a file
    that changed, a reader that changed, or a file's name that names the user make another store, and new
    labels alone do not), the embedder's name and checksum, how texts are composed, the schema, and what makes
    memories of the turns, if anything does (see `Making.identity`).
    """
    digest = hashlib.sha256()
    identity = asdict(EmbedderIdentity.of(embedder))
    _update(digest, [file.data_set.name, identity, COMPOSE_VERSION, SCHEMA_VERSION])
    for turns in file.turns.values():
        for turn in turns.values():
            _update(digest, [getattr(turn, name) for name in _CONTENT])
    recipe = ""
    if making is not None:
        _update(digest, making.identity)
        recipe = f"-{making.recipe.name}"
    return directory / f"{file.data_set.name}{recipe}-{digest.hexdigest()[:20]}.memspan"


def _update(digest: Any, values: list[Any]) -> None:
    digest.update(json.dumps(values, default=str, sort_keys=True).encode() + b"\n")


@contextmanager
def opened_store(
    directory: Path,
    file: LabelledFile,
    embedder: Embedder,
    making: Making | None = None,
    recipe: Recipe | str = "verbatim",
) -> Iterator[Memory]:
    """The store of a file, filled as far as earlier calls came; see `fill`.

    Its index is never laid out anew: the semantic view is then exact, and does not depend on when a background thread
    ran.

    Args:
        recipe: how it is asked where nothing is made of the turns.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    cached = CachedEmbedder(embedder, directory / "embeddings.sqlite")
    path = store_path(directory, file, embedder, making)
    chosen, llm = (recipe, None) if making is None else (making.recipe, making.llm)
    with Memory(path, cached, auto_consolidate=False, recipe=chosen, llm=llm) as memory:
        yield memory


def pending_users(memory: Memory, file: LabelledFile, users: Collection[str]) -> list[str]:
    """Those of the users whose conversations are not in the store as a whole."""
    index = memory._engine.current()
    return [user for user in users if not all(index.contains(user=user, id=id_) for id_ in file.turns[user])]


def fill(memory: Memory, file: LabelledFile, users: Collection[str], advance: Advance) -> None:
    """Put the conversations of these users in, a few turns a transaction.

    When it is interrupted, the next call goes on: turns that are there already are not embedded again. Under a recipe
    with stages a conversation is one transaction, so that no session becomes two jobs.
    """
    whole = bool(memory._processing.recipe.write)
    for user in users:
        turns = file.turns[user]
        batch = max(1, len(turns)) if whole else _BATCH
        ingest_turns(memory, turns.values(), IngestReport(), batch=batch, advance=advance)
