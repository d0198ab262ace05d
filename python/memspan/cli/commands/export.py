"""`memspan export`: one user's memories as JSON Lines."""

from __future__ import annotations

from pathlib import Path
from typing import IO, cast

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError
from memspan.cli.opening import open_memory, unknown_user
from memspan.cli.printable import EscapedJson
from memspan.cli.tables import counted

__all__ = ["export"]


@click.command(
    short_help="Write the records of a user to a file.",
    epilog=options.examples(
        "memspan export demo.jsonl --store chat.memspan --user demo",
        "memspan export - --store chat.memspan --user demo | gzip > demo.jsonl.gz",
    ),
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@options.existing_store
@options.one_user
@click.option("--embeddings", is_flag=True, help="Write the vectors as well, so that loading needs no model.")
@click.option("--records-only", is_flag=True, help="Leave out the cold tier, quotas and times to live.")
@options.as_json
@pass_environment
def export(
    env: Environment,
    file: Path,
    store: Path,
    user: str,
    embeddings: bool,
    records_only: bool,
    as_json: bool,
) -> None:
    """Write all records of USER to FILE (`-`: stdout).

    One JSON object a line holds everything that memspan knows. `memspan load` reads it back. No model
    is needed. Links are followed; a file is replaced when all is written.
    """
    to_stdout = str(file) == "-"
    if to_stdout and as_json:
        raise click.UsageError("--json reports on a file; with '-' stdout holds the records themselves")
    with open_memory(store) as memory:
        if unknown := unknown_user(memory, user):
            # An empty file would take the place of what an earlier export wrote.
            raise CommandError(unknown)
        target = _stdout(env) if to_stdout else file
        records = memory.export(user, target, embeddings=embeddings, records_only=records_only)
    if as_json:
        env.write_json({"store": str(store), "user": user, "records": records, "file": str(file)})
    else:
        env.note(f"{counted(records, 'record')} of user '{user}' exported")


def _stdout(env: Environment) -> IO[str]:
    """Where somebody looks on, what could act on the terminal is written as escapes; `load` reads the same."""
    return cast("IO[str]", EscapedJson(env.out.file)) if env.out.is_terminal else env.out.file
