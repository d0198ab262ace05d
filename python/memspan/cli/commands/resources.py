"""`memspan resources`: pointers to files and pages."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import note_unknown, open_memory
from memspan.cli.status import ExitStatus
from memspan.cli.tables import cell, moment, plain_table, print_figures
from memspan.reports.resource_info import RESOURCE_STATES, Resource

__all__ = ["resources"]

_fetch = click.option("--fetch", is_flag=True, help="Also ask servers for pages; nothing does so otherwise.")
_seconds = click.option(
    "--seconds",
    type=click.FloatRange(0, 3600, min_open=True),
    default=10.0,
    show_default=True,
    help="How long a page may take.",
)
_any_user = options.any_user("Only this user's.")


@click.group(
    short_help="Point to files and pages, and see whether they are there.",
    epilog=options.examples(
        "memspan resources add report.pdf --store chat.memspan --user ana --description 'the yearly report'",
        "memspan resources check --store chat.memspan",
    ),
)
def resources() -> None:
    """Point to files and pages, and look whether they are still there."""


@resources.command(
    epilog=options.examples(
        "memspan resources add report.pdf --store chat.memspan --user ana --description 'the yearly report'",
        "memspan resources add https://example.com/ --store chat.memspan --user ana --fetch",
    )
)
@click.argument("target")
@options.existing_store
@options.one_user
@click.option(
    "--description", metavar="TEXT", help="What it is, for searches. Default: the file's name, the URL."
)
@click.option("--id", "id_", metavar="ID", help="Of the record, or of the one that it takes the place of.")
@_fetch
@_seconds
@options.embedder_of_store
@options.as_json
@pass_environment
def add(
    env: Environment,
    target: str,
    store: Path,
    user: str,
    description: str | None,
    id_: str | None,
    fetch: bool,
    seconds: float,
    embedder: str | None,
    as_json: bool,
) -> None:
    """Point to TARGET, the path of a file or a URL. It stays where it is."""
    with open_memory(store, embedder) as memory:
        added = memory.add_resource(
            target, user=user, description=description, id=id_, fetch=fetch, seconds=seconds
        )
    if as_json:
        env.write_json({"store": str(store), "user": user, "id": added})
    else:
        env.note(f"added as {added}")


@resources.command(
    "list", epilog=options.examples("memspan resources list --store chat.memspan --state missing")
)
@options.existing_store
@_any_user
@click.option("--state", type=click.Choice(RESOURCE_STATES), help="Only those that were so at the last look.")
@options.as_json
@pass_environment
def list_(env: Environment, store: Path, user: str | None, state: str | None, as_json: bool) -> None:
    """List what is pointed to, as of the last look."""
    with open_memory(store) as memory:
        known = memory.resources(user=user, state=state)
        if not known:
            note_unknown(env, memory, user)
    if as_json:
        env.write_json({"store": str(store), "user": user, "resources": [each._asdict() for each in known]})
        return
    if not known:
        env.say("no resources; `memspan resources add` adds one")
        return
    _show(env, known)


@resources.command(
    short_help="Look whether they are still what they were.",
    epilog=options.examples(
        "memspan resources check --store chat.memspan",
        "memspan resources check --store chat.memspan --user ana --fetch",
    ),
)
@options.existing_store
@_any_user
@_fetch
@_seconds
@options.as_json
@pass_environment
def check(
    env: Environment, store: Path, user: str | None, fetch: bool, seconds: float, as_json: bool
) -> None:
    """Look whether files, and with --fetch pages, are still what they were. Ends with 1 if one is missing."""
    with open_memory(store) as memory:
        note_unknown(env, memory, user)
        report = memory.check_resources(user=user, fetch=fetch, seconds=seconds, progress=env.err.is_terminal)
    wrong = [*report.missing, *report.changed, *report.unreachable]
    if as_json:
        document = {
            name: [each._asdict() for each in value] if isinstance(value, tuple) else value
            for name, value in report._asdict().items()
        }
        env.write_json({"store": str(store), "user": user, **document})
    else:
        if wrong:
            _show(env, wrong)
        counts = f"{len(report.changed):,} changed, {len(report.missing):,} missing"
        more = f"{len(report.unreachable):,} unreachable, {report.skipped:,} not asked for"
        env.note(f"{report.present:,} as they were, {counts}, {more}")
    if report.missing:
        click.get_current_context().exit(ExitStatus.ERROR)


def _show(env: Environment, known: list[Resource]) -> None:
    table = plain_table()
    for name in ("id", "user", "state", "seen (UTC)", "bytes", "target"):
        table.add_column(name, overflow="fold", ratio=1 if name == "target" else None)
    for each in known:
        seen = "" if each.seen_at is None else moment(each.seen_at)
        size = "" if each.size is None else f"{each.size:,}"
        table.add_row(*(cell(value) for value in (each.id, each.user, each.state, seen, size, each.uri)))
    print_figures(env.out, table)
