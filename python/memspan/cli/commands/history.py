"""`memspan history` and `memspan retire`: what was believed when, and what is not believed any more."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError
from memspan.cli.moments import checked_time
from memspan.cli.opening import open_memory, require_known, unknown_user
from memspan.cli.tables import cell, counted, plain_table
from memspan.reports.history import Belief

__all__ = ["history", "retire"]

_WIDE = 80
"""From this many columns on a time stands on one line; with fewer its date stands above the rest."""
_DATE = 10
"""Columns of a date."""


@click.command(
    short_help="Show what a record said before, and what replaced it.",
    epilog=options.examples(
        "memspan history m1 --store chat.memspan --user demo",
        "memspan history m1 --store chat.memspan --user demo --json | jq '.versions[].text'",
    ),
)
@click.argument("record", metavar="ID")
@options.existing_store
@options.one_user
@options.as_json
@pass_environment
def history(env: Environment, record: str, store: Path, user: str, as_json: bool) -> None:
    """Show what the record ID said before it was overwritten, what it took the place of, and what took its place.

    What made room for others is shown from the cold tier, as evicted: searches do not find it.

    `memspan search --as-of TIME` finds what was believed at a time, `--valid-at TIME` what was true then.
    """
    with open_memory(store) as memory:
        found = memory.history(user=user, id=record)
        if found is None:
            raise CommandError(unknown_user(memory, user) or f"user '{user}' has no record '{record}'")
    if as_json:
        env.write_json({"store": str(store), "user": user, **found.to_dict()})
        return
    table = plain_table(f"History of {found.id}")
    wide = env.out.width >= _WIDE
    table.add_column("", no_wrap=True)
    for name in ("believed (UTC)", "true (UTC)"):
        table.add_column(name, no_wrap=wide, min_width=_DATE, max_width=None if wide else _DATE)
    for name in ("text", "ended by"):
        table.add_column(name, ratio=1 if name == "text" else None, overflow="fold")
    for name, beliefs in (("before", found.before), ("", found.versions), ("after", found.after)):
        for row in _rows(name, beliefs):
            table.add_row(*map(cell, row))
    env.out.print(table)


def _rows(name: str, beliefs: Iterable[Belief]) -> Iterable[tuple[str, ...]]:
    for belief in beliefs:
        said = belief.to_dict()
        yield (
            name,
            _span(said["recorded_at"], said["retired_at"]),
            _span(said["at"], said["until"]),
            said["text"],
            " ".join(
                [said["action"] or "", *said["by"], "(evicted)" * (belief.evicted_at is not None)]
            ).strip(),
        )


def _span(since: str, until: str | None) -> str:
    """From when to when, to the second, on two lines."""
    return _seconds(since) + ("" if until is None else f"\nto {_seconds(until)}")


def _seconds(time: str) -> str:
    return time[:19].replace("T", " ")


@click.command(
    short_help="Stop believing records; nothing is erased.",
    epilog=options.examples(
        "memspan retire m1 m2 --store chat.memspan --user demo --at 2024-06-01",
        'memspan retire m1 --store chat.memspan --user demo --text "Ana lives in Oslo."',
        "memspan retire m1 --store chat.memspan --user demo --by m7",
    ),
)
@click.argument("records", metavar="ID...", nargs=-1, required=True)
@options.existing_store
@options.one_user
@click.option(
    "--at",
    metavar="TIME",
    callback=checked_time,
    help="When it stopped to hold (ISO 8601). Default: now, or when --by happened.",
)
@click.option("--text", help="What holds instead: a new record takes the place of the one ID.")
@click.option("--by", metavar="ID", help="The record that takes the place of the one ID.")
@options.embedder_of_store
@options.as_json
@pass_environment
def retire(
    env: Environment,
    records: tuple[str, ...],
    store: Path,
    user: str,
    at: str | None,
    text: str | None,
    by: str | None,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Stop believing the records ID. Nothing is erased: searches at times when they were believed find them."""
    replaced = text is not None or by is not None
    if replaced and (len(records) > 1 or (text is not None and by is not None)):
        raise click.UsageError("--text or --by, not both, and with one ID")
    with open_memory(store, embedder) as memory:
        new = None
        require_known(memory, user, records if by is None else (*records, by), cold=False)
        if replaced:
            new = memory.supersede(user=user, id=records[0], text=text, by=by, at=at)
            retired = 1
        else:
            retired = memory.retire(user=user, ids=records, at=at)
    if as_json:
        env.write_json({"store": str(store), "user": user, "retired": retired, "by": new})
    else:
        env.note(
            f"{counted(retired, 'record')} retired" + ("" if new is None else f"; '{new}' took the place")
        )
