"""`memspan runs`: consolidations that changed memories."""

from __future__ import annotations

from pathlib import Path

import click

from . import options
from .environment import Environment, pass_environment
from .opening import open_memory
from .tables import cell, moment, plain_table

__all__ = ["runs"]


@click.command(
    epilog=options.examples(
        "memspan runs --store chat.memspan",
        "memspan runs --store chat.memspan --user ana --json",
    )
)
@options.existing_store
@click.option("--user", metavar="USER", help="Only this user's runs. Default: everybody's.")
@options.as_json
@pass_environment
def runs(env: Environment, store: Path, user: str | None, as_json: bool) -> None:
    """Show the consolidations that changed memories, the latest first.

    `memspan undo` takes one back. No model is needed.
    """
    with open_memory(store) as memory:
        known = memory.runs(user)
    if as_json:
        env.write_json({"store": str(store), "user": user, "runs": [run._asdict() for run in known]})
        return
    if not known:
        env.say("no runs")
        return
    table = plain_table()
    for name in ("run", "user", "state", "began"):
        table.add_column(name)
    table.add_column("memories", justify="right")
    for run in known:
        values = (run.id, run.user, run.state, moment(run.began), f"{run.changes:,}")
        table.add_row(*(cell(value) for value in values))
    env.out.print(table)
