"""`memspan runs`: consolidations that changed memories, and what was retired or superseded."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import note_unknown, open_memory
from memspan.cli.tables import cell, moment, plain_table, print_figures

__all__ = ["runs"]


@click.command(
    short_help="Show what consolidations changed, the latest first.",
    epilog=options.examples(
        "memspan runs --store chat.memspan",
        "memspan runs --store chat.memspan --user ana --json",
        "memspan runs --store chat.memspan --user ana --log",
    ),
)
@options.existing_store
@options.any_user("Only this user's runs.")
@click.option(
    "--log",
    is_flag=True,
    help="With --user: what a model decided about each memory in the latest consolidation.",
)
@click.option("--run", "run_id", metavar="RUN", help="With --log: in this one.")
@options.as_json
@pass_environment
def runs(
    env: Environment, store: Path, user: str | None, log: bool, run_id: str | None, as_json: bool
) -> None:
    """Show the consolidations that changed memories, and what was retired or superseded, the latest first.

    `memspan undo` takes one back. No model is needed.
    """
    if run_id is not None and not log:
        raise click.UsageError("--run names the run of --log; add --log")
    if log:
        if user is None:
            raise click.UsageError("--log needs --user")
        _log(env, store, user, run_id, as_json)
        return
    with open_memory(store) as memory:
        known = memory.runs(user)
        if not known:
            note_unknown(env, memory, user)
    if as_json:
        env.write_json({"store": str(store), "user": user, "runs": [run._asdict() for run in known]})
        return
    if not known:
        env.say("no runs; a consolidation that changes no memory is none")
        return
    table = plain_table()
    for name in ("run", "user", "action", "state", "began (UTC)"):
        table.add_column(name, overflow="fold")
    table.add_column("memories", justify="right")
    for run in known:
        values = (run.id, run.user, run.action, run.state, moment(run.began), f"{run.changes:,}")
        table.add_row(*(cell(value) for value in values))
    print_figures(env.out, table)


def _log(env: Environment, store: Path, user: str, run: str | None, as_json: bool) -> None:
    with open_memory(store) as memory:
        decisions = memory.sleep_log(user, run)
        if not decisions:
            note_unknown(env, memory, user)
    if as_json:
        document = [decision._asdict() for decision in decisions]
        env.write_json({"store": str(store), "user": user, "run": run, "decisions": document})
        return
    if not decisions:
        env.say("no model was asked about memories")
        return
    table = plain_table()
    for name in ("memory", "outcome", "wanted", "because of", "reason"):
        table.add_column(name, overflow="fold", ratio=1 if name == "reason" else None)
    for one in decisions:
        later = ", ".join(id_ or "(forgotten)" for id_ in one.later)
        values = (one.memory or "(forgotten)", one.outcome, one.action or "", later, one.reason or "")
        table.add_row(*map(cell, values))
    print_figures(env.out, table)
