"""`memspan process`: run encode jobs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError
from memspan.cli.opening import note_unknown, open_memory, open_model
from memspan.cli.tables import counted
from memspan.cli.usage import usage_line
from memspan.recipes import recipe, recipe_names

__all__ = ["process"]


@click.command(
    short_help="Make memories of turns, with a language model.",
    epilog=options.examples(
        "memspan ingest chat.json --store chat.memspan --user ana --recipe simplemem",
        "memspan process --store chat.memspan --llm gpt-4.1-mini",
        "memspan process --store chat.memspan --llm gpt-4.1-mini --follow",
        "memspan process --store chat.memspan --llm qwen3 --base-url http://127.0.0.1:8080/v1 --all-turns best",
    ),
)
@options.existing_store
@options.any_user("Only this user's jobs.")
@options.llm
@options.base_url
@click.option(
    "--jobs",
    "jobs_in_flight",
    type=click.IntRange(1, 4096),
    default=64,
    show_default=True,
    help="How many questions the model has at once.",
)
@click.option("--limit", type=click.IntRange(1), help="Begin at most so many runs.")
@click.option("--follow", is_flag=True, help="Then wait for new jobs, until interrupted.")
@click.option(
    "--gather/--no-gather",
    default=None,
    help="Let sessions that still go on wait for more turns, as the recipe wants it. Default: with --follow.",
)
@click.option(
    "--all-turns",
    metavar="RECIPE",
    type=click.Choice([name for name in recipe_names() if recipe(name).write]),
    help="First give turns that no job has, such as those stored before a recipe was chosen, to jobs of RECIPE.",
)
@options.as_json
@pass_environment
def process(
    env: Environment,
    store: Path,
    user: str | None,
    llm: str | None,
    base_url: str | None,
    jobs_in_flight: int,
    limit: int | None,
    follow: bool,
    gather: bool | None,
    all_turns: str | None,
    as_json: bool,
) -> None:
    """Make memories of turns that were added under a recipe, with a language model.

    Nothing is lost or done twice when it is interrupted; the next call goes on. Several processes may work on one
    store.
    """
    with (
        open_model(llm, base_url) as model,
        open_memory(store, recipe=all_turns or "verbatim", llm=model) as memory,
    ):
        note_unknown(env, memory, user)
        if all_turns is not None:
            count = memory.enqueue(user=user, progress=env.err.is_terminal)
            env.note(f"{counted(count, 'turn')} given to jobs of {all_turns}")
        try:
            report = memory.process(
                user=user,
                jobs_in_flight=jobs_in_flight,
                limit=limit,
                follow=follow,
                gather=gather,
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
            f"{counted(report.done, 'job')} done, {counted(report.records, 'record')} made in {report.seconds:.1f} s; "
            f"{counted(report.failed, 'attempt')} failed, {counted(report.waiting, 'job')} waiting"
        )
        env.say(usage_line(report.usage))
        if not (report.done or report.failed or report.waiting):
            env.note(
                "no job waited; --all-turns RECIPE gives jobs to turns that were stored without a recipe"
            )
    if report.parked:
        raise CommandError(f"{counted(report.parked, 'job')} parked; `memspan jobs --state parked` says why")
