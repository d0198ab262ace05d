"""`memspan stats`: what a store holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import open_memory, unknown_user
from memspan.cli.tables import cell, plain_table, print_figures
from memspan.cli.usage import usage_documents, usage_table

__all__ = ["stats"]


@click.command(
    short_help="Show counts and sizes.",
    epilog=options.examples(
        "memspan stats --store chat.memspan",
        "memspan stats --store chat.memspan --user demo --json",
        "memspan stats --store chat.memspan --usage",
    ),
)
@options.existing_store
@options.any_user("Only this user.", "the whole store")
@click.option("--usage", is_flag=True, help="Show what language models cost instead: tokens, calls, seconds.")
@options.as_json
@pass_environment
def stats(env: Environment, store: Path, user: str | None, usage: bool, as_json: bool) -> None:
    """Show counts and sizes of the whole store or of one user. No model is needed."""
    with open_memory(store) as memory:
        if usage:
            entries = memory.usage(user=user)
            if as_json:
                env.write_json({"store": str(store), "user": user, "usage": usage_documents(entries)})
            elif entries:
                print_figures(env.out, usage_table(entries), 3)
            else:
                env.note("no language model was asked")
            return
        figures = memory.stats(user)
        users = memory.users() if user is None else None
        unknown = None if user is None or figures["records"] else unknown_user(memory, user)
    if unknown:
        env.note(unknown)
    if as_json:
        env.write_json({"store": str(store), "user": user, "users": users, "stats": figures})
        return
    table = plain_table()
    table.add_column("what", no_wrap=True)
    table.add_column("value", justify="right", overflow="fold")
    for name, value in _flatten(figures):
        table.add_row(cell(name), cell(_readable(name, value)))
    env.out.print(table)
    if users is not None:
        env.say("users: " + ", ".join(users))


def _readable(name: str, value: object) -> object:
    """A figure for people; `--json` has it whole. Of a checksum, as many digits as an error names."""
    if value is None:
        return "-"
    if name.endswith("checksum"):
        return str(value)[:16]
    return f"{value:,}" if isinstance(value, int) else value


def _flatten(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
