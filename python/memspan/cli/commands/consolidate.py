"""`memspan consolidate`: put memories in order, and lay out the index."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError
from memspan.cli.opening import note_unknown, open_memory, open_model
from memspan.cli.tables import counted
from memspan.cli.usage import usage_line
from memspan.lifecycle.staleness import POLICIES, StalenessPolicy
from memspan.memory import Memory
from memspan.reports.consolidation import ConsolidationReport, SleepReport, UpkeepReport

__all__ = ["consolidate"]


@click.command(
    short_help="Put memories in order; lay out the index.",
    epilog=options.examples(
        "memspan consolidate --store chat.memspan",
        "memspan consolidate --store chat.memspan --dry-run",
        "memspan consolidate --store chat.memspan --user ana --llm gpt-4.1-mini",
        "memspan consolidate --store chat.memspan --llm qwen3 --base-url http://127.0.0.1:8080/v1",
    ),
)
@options.existing_store
@options.any_user("Only this user's memories.")
@options.llm
@options.base_url
@click.option("--merge/--no-merge", default=True, help="Merge facts that say the same. Default: --merge.")
@click.option(
    "--staleness",
    type=click.Choice(POLICIES),
    help="Count what is stale by this policy, reading all memories. Default: count what was ended.",
)
@click.option(
    "--prune-above",
    type=click.FloatRange(0, 1),
    metavar="S",
    help="Send what is staler than S, 0 to 1, to the cold tier. Needs --staleness.",
)
@click.option("--dry-run", is_flag=True, help="Change nothing and ask no model; print what would be done.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    help="Begin nothing more after so long, but one slice; the next call goes on.",
)
@options.as_json
@pass_environment
def consolidate(
    env: Environment,
    store: Path,
    user: str | None,
    llm: str | None,
    base_url: str | None,
    merge: bool,
    staleness: str | None,
    prune_above: float | None,
    dry_run: bool,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Put memories in order, and lay out the index for faster searches.

    What outlived its time is erased unless it is pinned or held, kinds that are over their quota move records to the
    cold tier, as does what is too stale if --prune-above says so, and of facts that say the same the best stays. With
    --llm, a language model then goes through the memories that recipes made and that have later ones like them: what
    is said twice is merged, what changed is rewritten, what no longer holds gets an end. Only what is new since the
    last time is looked at.
    `memspan runs` lists what was changed, and `memspan undo` takes it back.
    """
    if prune_above is not None and staleness is None:
        raise click.UsageError("--prune-above goes by a policy; name it with --staleness")
    policy = None if staleness is None else StalenessPolicy(name=staleness, prune_above=prune_above)
    with _opened(store, llm, base_url) as memory:
        note_unknown(env, memory, user)
        report = memory.consolidate(
            user,
            update=llm is not None,
            merge=merge,
            staleness=policy,
            dry_run=dry_run,
            seconds=seconds,
            progress=env.err.is_terminal,
        )
    if as_json:
        env.write_json({"store": str(store), "user": user, **_document(report)})
    else:
        assert report.upkeep is not None
        _say_upkeep(env, report.upkeep, dry_run)
        if dry_run:
            return
        if report.sleep is not None:
            _say(env, report.sleep)
        env.say(
            f"index: {report.users - report.skipped:,} of {counted(report.users, 'user')} laid out anew, "
            f"{counted(report.records, 'record')} in {counted(report.clusters, 'cluster')}, {report.seconds:.1f} s"
        )
    slept = report.sleep
    if slept is not None and slept.undecided:
        raise CommandError(
            f"{slept.undecided:,} of {slept.queues:,} memories could not be decided ({slept.reason}); "
            "the next call asks again"
        )


@contextmanager
def _opened(store: Path, llm: str | None, base_url: str | None) -> Iterator[Memory]:
    with (
        open_model(llm, base_url) as model,
        open_memory(store, recipe="verbatim" if model is None else "lightmem", llm=model) as memory,
    ):
        yield memory


def _say(env: Environment, slept: SleepReport) -> None:
    env.say(
        f"memories: {slept.memories:,} looked at, {slept.queues:,} with later ones like them; "
        f"{slept.merged:,} merged, {slept.updated:,} updated, {slept.retired:,} retired, {slept.skipped:,} skipped, "
        f"{slept.seconds:.1f} s"
    )
    env.say(usage_line(slept.usage))


def _say_upkeep(env: Environment, done: UpkeepReport, dry_run: bool) -> None:
    would = "would be " if dry_run else ""
    env.say(
        f"memories: {would}{done.expired:,} expired, {done.evicted:,} evicted, {done.pruned:,} pruned, "
        f"{done.merged:,} merged into others, {counted(done.learnt, 'procedure')} learnt"
        + ("" if done.finished else "; the time was over first, the next call goes on")
    )
    means = (
        ""
        if done.tracked_staleness is None
        else f", {done.tracked_staleness:.2f} on average, {done.true_staleness:.2f} by age"
    )
    env.say(f"stale: {done.stale:,}{means}")
    for planned in done.planned:
        into = "" if planned.into is None else f" into {planned.into}"
        env.say(f"  {planned.action} {planned.user}: {', '.join(planned.records)}{into}")
    if done.runs:
        env.say(f"to take this back: memspan undo {' or '.join(done.runs)}")


def _document(report: ConsolidationReport) -> dict[str, Any]:
    slept = report.sleep
    sleep = None if slept is None else {**slept._asdict(), "usage": asdict(slept.usage)}
    upkeep = None if report.upkeep is None else report.upkeep._asdict()
    if upkeep is not None:
        upkeep["planned"] = [planned._asdict() for planned in upkeep["planned"]]
    return {**report._asdict(), "sleep": sleep, "upkeep": upkeep}
