"""`memspan audit`: who did what to a store."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.moments import checked_time
from memspan.cli.opening import open_memory
from memspan.cli.tables import cell, moment, plain_table, print_figures

__all__ = ["audit"]

_SHOWN = 8
"""Digits of a fingerprint or hash."""


@click.command(
    short_help="Show who did what.",
    epilog=options.examples(
        "memspan audit --store chat.memspan --action forget",
        "memspan audit --store chat.memspan --user demo --since 2026-01-01 --json",
    ),
)
@options.existing_store
@options.any_user("Only this user's entries; who was forgotten has a name here.")
@click.option("--id", "id_", metavar="ID", help="Only entries that name this record of --user.")
@click.option("--action", metavar="ACTION", help="Only this action, such as forget.")
@click.option("--since", metavar="TIME", callback=checked_time, help="Only entries from this time on.")
@click.option("--until", metavar="TIME", callback=checked_time, help="Only entries before this time.")
@options.count(1000, "entries", most=1_000_000)
@options.as_json
@pass_environment
def audit(
    env: Environment,
    store: Path,
    user: str | None,
    id_: str | None,
    action: str | None,
    since: str | None,
    until: str | None,
    k: int,
    as_json: bool,
) -> None:
    """Show who did what, the last entries, oldest first.

    Users and records stand there as fingerprints, which outlive them: --user and --id find those of a name. `memspan
    verify` checks that nothing was changed or left out.
    """
    if id_ is not None and user is None:
        raise click.UsageError("--id names a record of --user; add --user")
    with open_memory(store) as memory:
        entries = memory.audit(user=user, id=id_, action=action, since=since, until=until, limit=k)
    if as_json:
        env.write_json({"store": str(store), "user": user, "entries": [entry._asdict() for entry in entries]})
        return
    if not entries:
        env.say("no entries")
        return
    table = plain_table()
    for name in ("number", "at (UTC)", "actor", "action", "user", "records", "details", "hash"):
        table.add_column(name, overflow="fold", ratio=1 if name == "details" else None)
    for entry in entries:
        details = "; ".join(f"{name}: {value}" for name, value in entry.details.items())
        values = (entry.number, moment(entry.at), entry.actor, entry.action, (entry.user or "")[:_SHOWN])
        table.add_row(
            *(cell(value) for value in (*values, len(entry.records) or "", details, entry.hash[:_SHOWN]))
        )
    print_figures(env.out, table)
