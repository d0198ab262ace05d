"""`memspan load`: read what `memspan export` wrote."""

from __future__ import annotations

from pathlib import Path

import click

from . import options
from .environment import Environment, pass_environment
from .failures import as_input
from .opening import open_memory
from .tables import counted

__all__ = ["load"]


@click.command(
    short_help="Read what `export` wrote.",
    epilog=options.examples(
        "memspan load demo.jsonl --store other.memspan",
        "zcat demo.jsonl.gz | memspan load - --store other.memspan",
    ),
)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@options.new_store
@options.embedder
@options.as_json
@pass_environment
def load(env: Environment, file: Path, store: Path, embedder: str | None, as_json: bool) -> None:
    """Add what `memspan export` wrote to FILE (`-`: stdin).

    A record replaces the one that was stored under its id. Records without vectors are embedded on the way
    in, which needs the model.
    """
    with open_memory(store, embedder) as memory, as_input():
        records = memory.load(env.stdin if str(file) == "-" else file)
    if as_json:
        env.write_json({"store": str(store), "records": records})
    else:
        env.note(f"{counted(records, 'record')} loaded")
