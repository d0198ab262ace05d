"""`memspan jobs`: encode jobs, and why they failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.opening import note_unknown, open_memory
from memspan.cli.tables import cell, counted, moment, plain_table, print_figures
from memspan.reports.job_info import JOB_STATES, Job, JobEvent

__all__ = ["jobs"]


@click.command(
    short_help="Show what waits for `process`, what is done, what failed.",
    epilog=options.examples(
        "memspan jobs --store chat.memspan --state parked",
        "memspan jobs --store chat.memspan --retry",
        "memspan jobs --store chat.memspan --job 5f1c0a9be2d34c7788aa",
    ),
)
@options.existing_store
@options.any_user("Only this user's jobs.")
@click.option("--state", type=click.Choice(JOB_STATES), help="Only jobs in this state.")
@click.option("--job", metavar="ID", help="Show the log of this job; with --retry, only this one.")
@click.option("--retry", is_flag=True, help="Let parked jobs be processed again, then list.")
@options.as_json
@pass_environment
def jobs(
    env: Environment,
    store: Path,
    user: str | None,
    state: str | None,
    job: str | None,
    retry: bool,
    as_json: bool,
) -> None:
    """Show what is to be processed, what was, and what failed. No model is needed."""
    with open_memory(store) as memory:
        retried = memory.retry(job, user=user) if retry else None
        known = [each for each in memory.jobs(user=user, state=state) if job in (None, each.id)]
        if not known:
            note_unknown(env, memory, user)
        log = None if job is None else memory.job_log(job, user=user)
    if as_json:
        document = {
            "store": str(store),
            "user": user,
            "retried": retried,
            "jobs": [each._asdict() for each in known],
            "log": None if log is None else [event._asdict() for event in log],
        }
        env.write_json(document)
        return
    if retried is not None:
        env.note(f"{counted(retried, 'job')} will be tried again")
    if not known:
        env.say(
            "no jobs; `memspan ingest --recipe` and `memspan process --all-turns` make some"
            if state is None
            else f"no jobs are {state}"
        )
        return
    print_figures(env.out, _table(known))
    for each in known:
        if each.reason is not None:
            env.say(f"{each.id}: {each.reason}")
    if log:
        print_figures(env.out, _log(log))


def _table(jobs: Sequence[Job]) -> Table:
    table = plain_table()
    for name in ("job", "user", "session", "recipe", "state"):
        table.add_column(name, overflow="fold")
    for name in ("turns", "records", "failed", "changed (UTC)"):
        table.add_column(name, justify="right")
    for job in jobs:
        names = (job.id, job.user, job.session or "", job.recipe, job.state)
        counts = (job.turns, job.records, job.attempts, moment(job.updated))
        table.add_row(*(cell(value) for value in (*names, *counts)))
    return table


def _log(log: Sequence[JobEvent]) -> Table:
    table = plain_table()
    for name in ("at (UTC)", "run", "stage", "event", "details"):
        table.add_column(name, overflow="fold", ratio=1 if name == "details" else None)
    for event in log:
        details = "; ".join(f"{name}: {value}" for name, value in event.details.items())
        table.add_row(
            *(cell(value) for value in (moment(event.at), event.run, event.stage or "", event.event, details))
        )
    return table
