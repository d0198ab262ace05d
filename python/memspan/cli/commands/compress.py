"""`memspan compress`: shorten the records of a user."""

from __future__ import annotations

from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.moments import checked_time
from memspan.cli.opening import open_memory, unknown_user
from memspan.cli.tables import counted
from memspan.lifecycle.compression import COMPRESSIBLE, STRATEGIES

__all__ = ["compress"]


@click.command(
    short_help="Shorten records to the words that say most.",
    epilog=options.examples(
        "memspan compress --store chat.memspan --user ana --dry-run",
        "memspan compress --store chat.memspan --user ana --strategy uniform --ratio 0.6 --before 2024-01-01",
    ),
)
@options.existing_store
@options.one_user
@click.option(
    "--strategy",
    type=click.Choice(STRATEGIES),
    default="adaptive",
    show_default=True,
    help="Alike for all, more of what is important, or by kind, too.",
)
@click.option(
    "--ratio",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="The share of words that is to remain.",
)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(COMPRESSIBLE),
    multiple=True,
    help="Only records of this kind; repeat for several. Default: episodic and semantic, as procedures are to be "
    "followed word for word.",
)
@click.option(
    "--before", metavar="TIME", callback=checked_time, help="Only what happened before then (ISO 8601)."
)
@click.option(
    "--discard-originals", is_flag=True, help="Give the wording up for good, instead of keeping it apart."
)
@click.option("--dry-run", is_flag=True, help="Change nothing; say what would be done.")
@options.as_json
@pass_environment
def compress(
    env: Environment,
    store: Path,
    user: str,
    strategy: str,
    ratio: float,
    kinds: tuple[str, ...],
    before: str | None,
    discard_originals: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Shorten the records of USER to the words that say most.

    Names, numbers, dates and negations stay. The original wording is kept apart unless --discard-originals is given.
    Pinned and held records are left alone, and so is what was compressed before.
    """
    with open_memory(store) as memory:
        report = memory.compress(
            user,
            strategy,
            ratio,
            kinds=kinds or None,
            before=before,
            keep_originals=not discard_originals,
            dry_run=dry_run,
            progress=env.err.is_terminal,
        )
        unknown = None if report.records else unknown_user(memory, user)
    if unknown:
        env.note(unknown)
    if as_json:
        env.write_json({"store": str(store), "user": user, **report.to_dict()})
        return
    measured = report.measured
    env.say(
        f"{'would compress' if dry_run else 'compressed'} {report.compressed:,} "
        f"of {counted(report.records, 'record')}: {counted(report.words_before, 'word')} "
        f"to {report.words_after:,}, {report.seconds:.1f} s"
    )
    if report.compressed:
        agreement = (
            "" if measured.agreement is None else f", {measured.agreement:.2f} of the meaning (cosine)"
        )
        env.say(
            f"kept on average: {measured.tokens:.0%} of the stems, {measured.entities:.0%} of the names, "
            f"{measured.numbers:.0%} of the numbers{agreement}; nominal fidelity {report.nominal:.2f}"
        )
