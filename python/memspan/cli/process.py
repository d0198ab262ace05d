"""`memspan process`: run encode jobs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from . import options
from .environment import Environment, pass_environment
from .failures import CommandError
from .opening import open_memory
from .usage import usage_line

__all__ = ["process"]


@click.command(
    epilog=options.examples(
        "memspan ingest chat.json --store chat.memspan --user ana --recipe simplemem",
        "memspan process --store chat.memspan --llm gpt-4.1-mini",
        "memspan process --store chat.memspan --llm gpt-4.1-mini --follow",
    )
)
@options.existing_store
@click.option("--user", metavar="USER", help="Only this user's jobs.")
@options.llm
@click.option(
    "--jobs",
    "jobs_in_flight",
    type=click.IntRange(1, 4096),
    default=64,
    show_default=True,
    help="How many run at once.",
)
@click.option("--limit", type=click.IntRange(1), help="Begin at most so many runs.")
@click.option("--follow", is_flag=True, help="Then wait for new jobs, until interrupted.")
@options.as_json
@pass_environment
def process(
    env: Environment,
    store: Path,
    user: str | None,
    llm: str | None,
    jobs_in_flight: int,
    limit: int | None,
    follow: bool,
    as_json: bool,
) -> None:
    """Make memories of turns that were added under a recipe, with a language model.

    Nothing is lost or done twice when it is interrupted; the next call goes on. Several processes may work on one
    store.
    """
    with open_memory(store, llm=llm) as memory:
        try:
            report = memory.process(
                user=user,
                jobs_in_flight=jobs_in_flight,
                limit=limit,
                follow=follow,
                progress=env.err.is_terminal and not follow,
            )
        except KeyboardInterrupt:
            if not follow:
                raise
            env.note("ended; jobs that were under way go on with the next call")
            return
    if as_json:
        env.write_json({"store": str(store), "user": user, **report._asdict(), "usage": asdict(report.usage)})
    else:
        env.say(
            f"{report.done:,} jobs done, {report.records:,} records made in {report.seconds:.1f} s; "
            f"{report.failed:,} attempts failed, {report.waiting:,} jobs wait"
        )
        env.say(usage_line(report.usage))
    if report.parked:
        raise CommandError(f"{report.parked:,} jobs were parked; `memspan jobs --state parked` says why")
