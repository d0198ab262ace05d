"""`memspan reembed`: convert a store to another embedder."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import open_memory
from memspan.cli.tables import counted
from memspan.remember.embedding import EmbedderIdentity
from memspan.store import inspect

__all__ = ["reembed"]


@click.command(
    short_help="Make all vectors anew with another embedder.",
    epilog=options.examples(
        "memspan reembed --store chat.memspan --embedder bge-small-en-v1.5-int8",
        "memspan reembed --store chat.memspan --embedder hash",
    ),
)
@options.existing_store
# Never by a variable: whoever has one set for a new store would convert the others with it.
@click.option(
    "--embedder",
    metavar="NAME",
    required=True,
    help="What is to make the vectors: a model of `memspan models list`, or `hash`.",
)
@options.as_json
@pass_environment
def reembed(env: Environment, store: Path, embedder: str, as_json: bool) -> None:
    """Make the vectors of all records anew with another embedder, and those of their tokens that are missing.

    Vectors that were given with their records are replaced, too. Until the end the store works with those that it has.
    An interrupted conversion is continued by the same command. Programs that have the store open must open it again.
    """
    before = _embedder_of(store)
    with open_memory(store, embedder, reembed=True, progress=env.err.is_terminal) as memory:
        records = memory.stats()["records"]
    after = _embedder_of(store)
    if as_json:
        env.write_json(
            {
                "store": str(store),
                "records": records,
                "before": before.name,
                "embedder": after.name,
                "dim": after.dim,
            }
        )
    elif before == after:
        env.note(f"{after} filled the store already")
    else:
        have = "has" if records == 1 else "have"
        env.note(f"{counted(records, 'record')} {have} vectors by {after} now, instead of {before}")


def _embedder_of(store: Path) -> EmbedderIdentity:
    inspection = inspect(store)
    assert inspection is not None  # `options.existing_store` has looked
    return EmbedderIdentity.parse(inspection.settings["embedder"], store)
