"""`memspan forget`: erase memories for good."""

from __future__ import annotations

from pathlib import Path

import click

from . import options
from .environment import Environment, pass_environment
from .failures import CommandError
from .opening import open_memory

__all__ = ["forget"]


@click.command(
    epilog=options.examples(
        "memspan forget --store chat.memspan --user demo --id s07-05",
        "memspan forget --store chat.memspan --user demo --yes",
    )
)
@options.existing_store
@options.one_user
@click.option("--id", "id_", metavar="ID", help="Only this record and what was derived from it.")
@click.option(
    "--source", metavar="SOURCE", help="Only records from this source and what was derived from them."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.as_json
@pass_environment
def forget(
    env: Environment,
    store: Path,
    user: str,
    id_: str | None,
    source: str | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Erase a user, one record, or everything from one source.

    Text, vectors, words, tags, whatever was derived from them, and the bytes on disk are gone afterwards.

    Asks first when somebody can answer; elsewhere --yes is required. No model is needed.
    """
    if id_ is not None and source is not None:
        raise click.UsageError("--id and --source cannot be combined")
    what = (
        f"record '{id_}'" if id_ is not None else f"source '{source}'" if source is not None else "everything"
    )
    if not yes:
        if not env.interactive:
            raise click.UsageError("nobody to ask here; add --yes to erase without asking")
        if not click.confirm(f"Erase {what} of user '{user}'? This cannot be undone.", err=True):
            raise CommandError("nothing was erased")
    with open_memory(store) as memory:
        records = memory.forget(user=user, id=id_, source=source)
    if as_json:
        env.write_json({"user": user, "id": id_, "source": source, "records": records})
    else:
        env.note(f"{records:,} records erased")
