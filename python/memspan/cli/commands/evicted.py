"""`memspan evicted`: what made room for others."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import note_unknown, nothing_found, open_memory
from memspan.cli.tables import cell, moment, plain_table, print_figures

__all__ = ["evicted"]


@click.command(
    short_help="List the records that made room for others.",
    epilog=options.examples(
        "memspan evicted --store chat.memspan --user demo",
        "memspan evicted --store chat.memspan --user demo -k 5 --kind semantic",
    ),
)
@options.existing_store
@options.one_user
@options.count(100)
@options.kinds_and_vault
@options.as_json
@pass_environment
def evicted(env: Environment, store: Path, user: str, k: int, kinds: tuple[str, ...], as_json: bool) -> None:
    """List the records of USER that made room for others, the last one first. No model is needed."""
    with open_memory(store) as memory:
        listed = memory.evicted(user=user, k=k, kinds=kinds or None)
        nothing = "" if listed else nothing_found(memory, user, f"nothing was evicted of user '{user}'")
        if nothing and as_json:
            note_unknown(env, memory, user)
    if as_json:
        records = [
            {
                "id": each.id,
                "kind": each.record.kind,
                "at": each.record.at,
                "moved_at": each.moved_at,
                "text": each.record.text,
                "last_source_of": list(each.last_source_of),
            }
            for each in listed
        ]
        env.write_json({"store": str(store), "user": user, "records": records})
        return
    if not listed:
        env.note(nothing)
        return
    table = plain_table()
    for name in ("id", "kind", "at (UTC)", "evicted (UTC)", "last source of", "text"):
        table.add_column(name, overflow="fold", ratio=1 if name == "text" else None)
    for each in listed:
        values = (each.id, each.record.kind, moment(each.record.at), moment(each.moved_at))
        orphans = ", ".join(each.last_source_of)
        table.add_row(*(cell(value) for value in (*values, orphans, each.record.text)))
    print_figures(env.out, table)
