"""`memspan procedures`: how things are done."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from memspan.procedure_info import Procedure

from . import options
from .environment import Environment, pass_environment
from .opening import open_memory
from .tables import cell

__all__ = ["procedures"]


@click.command(
    epilog=options.examples(
        "memspan procedures --store agent.memspan --user demo --learn",
        "memspan procedures --store agent.memspan --user demo --learn --dry-run",
    )
)
@options.existing_store
@options.one_user
@click.option("--learn", is_flag=True, help="First learn from the tool calls of the transcripts.")
@click.option("--dry-run", is_flag=True, help="With --learn: only say how much would change.")
@click.option("--all", "retired", is_flag=True, help="Show retired ones, too.")
@options.as_json
@pass_environment
def procedures(
    env: Environment, store: Path, user: str, learn: bool, dry_run: bool, retired: bool, as_json: bool
) -> None:
    """Show how things are done: the procedures of USER, the one that was run last first.

    Sequences of tool calls that come back in transcripts are procedures; --learn looks for them, as `memspan
    consolidate` does. What a caller added with the kind `procedural` is shown, too."""
    if dry_run and not learn:
        raise click.UsageError("--dry-run says what --learn would do; add --learn")
    with open_memory(store) as memory:
        report = memory.learn_procedures(user, dry_run=dry_run) if learn else None
        found = [one for one in memory.procedures(user=user) if retired or not one.retired]
    if as_json:
        env.write_json(
            {
                "store": str(store),
                "user": user,
                "learnt": None if report is None else report._asdict(),
                "procedures": [one.to_dict() for one in found],
            }
        )
        return
    if report is not None:
        env.note(
            f"{report.actions:,} actions in {report.sessions:,} sessions: {report.found:,} procedures, "
            f"{report.new:,} new, {report.changed:,} changed{', nothing written' if dry_run else ''}"
        )
    if not found:
        env.note(f"user '{user}' has no procedures" + ("" if learn else "; `--learn` looks for some"))
    for position, one in enumerate(found):
        if position:
            env.out.print()
        env.out.print(_shown(one))


def _shown(one: Procedure) -> Text:
    shown = cell(one.text)
    first = one.text.find("\n")
    shown.stylize("bold", 0, len(one.text) if first < 0 else first)
    count = f"{one.successes:,} of {one.runs:,} runs worked" if one.runs else "written by hand"
    if one.failures:
        count += f", {one.failures:,} failed"
    shown.append(f"\n{count}; {one.last:%Y-%m-%d}{'; retired' if one.retired else ''}; {one.id}", style="dim")
    return shown
