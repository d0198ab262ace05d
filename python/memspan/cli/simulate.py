"""`memspan simulate`: the study of what to store, how to compress and what goes stale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memspan.simulate import CLAIMS, EXPERIMENTS, WORLDS, Outcome, sensitivity, simulate, verdicts

from . import options
from .environment import Environment, pass_environment
from .tables import cell, plain_table
from .tracking import bar

if TYPE_CHECKING:
    from memspan.simulate.tables import Table

__all__ = ["simulate_"]


@click.command(
    "simulate",
    epilog=options.examples(
        "memspan simulate",
        "memspan simulate --experiment staleness --trials 5 --json",
        "memspan simulate --sensitivity --out figures",
    ),
)
@click.option(
    "--experiment",
    "names",
    type=click.Choice(list(EXPERIMENTS)),
    multiple=True,
    help="Only this experiment; repeat for several. Default: all.",
)
@click.option(
    "--trials",
    type=click.IntRange(2, 1000),
    default=20,
    show_default=True,
    help="Trials of each condition; the paper has 20.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Of everything drawn."
)
@click.option(
    "--sensitivity",
    "sensitive",
    is_flag=True,
    help="Also ask which claims depend on what the paper leaves open: the study in other worlds, some minutes.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIRECTORY",
    help="Write tables.md and a PNG for each experiment there.",
)
@options.as_json
@pass_environment
def simulate_(
    env: Environment,
    names: tuple[str, ...],
    trials: int,
    seed: int,
    sensitive: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Simulate memories that are allocated, compressed and go stale, as the paper does.

    Every experiment of "Agent Memory: What to Store, How to Compress, and Prevent Staleness" is run over the quotas
    and policies of this package, and laid beside the paper's figures; then each of its claims is judged. The
    same seed gives the same figures. Needs the extra `simulate`.
    """
    from memspan.simulate.statistics import require_scipy
    from memspan.simulate.tables import sensitivity_table, tables

    require_scipy()
    chosen = names or tuple(EXPERIMENTS)
    with bar(env, "simulating", sum(len(EXPERIMENTS[name].conditions) for name in chosen)) as advance:
        outcomes = simulate(chosen, trials=trials, seed=seed, advance=advance)
    found = None
    if sensitive:
        with bar(env, "other worlds", len(WORLDS)) as advance:
            found = sensitivity(trials=min(trials, 8), seed=seed, advance=advance)
    shown = [*tables(outcomes), *([] if found is None else [sensitivity_table(found)])]
    if out is not None:
        _write(out, shown, outcomes)
    if as_json:
        env.write_json(_document(outcomes, trials, seed, found))
        return
    for table in shown:
        print_table(env, table)


def print_table(env: Environment, table: Table) -> None:
    """A table of a study, for people."""
    drawn = plain_table(table.title)
    for column in table.columns:
        drawn.add_column(column, overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(cell, row))
    env.out.print(drawn)
    if table.note:
        env.say(table.note, style="dim")
    env.out.print()


def _write(directory: Path, shown: Sequence[Table], outcomes: Mapping[str, Sequence[Outcome]]) -> None:
    from memspan.simulate.figures import draw

    directory.mkdir(parents=True, exist_ok=True)
    draw(outcomes, directory)
    text = "\n\n".join(table.markdown() for table in shown)
    (directory / "tables.md").write_text(text + "\n", encoding="utf-8")


def _document(
    outcomes: Mapping[str, Sequence[Outcome]],
    trials: int,
    seed: int,
    found: Mapping[str, Mapping[str, bool]] | None,
) -> dict[str, Any]:
    from memspan.simulate.statistics import anova, interval

    judged = verdicts(outcomes)
    document: dict[str, Any] = {
        "trials": trials,
        "seed": seed,
        "experiments": {
            name: [
                {
                    "condition": outcome.condition.name,
                    "quality": float(outcome.scores.mean()),
                    "interval": list(interval(outcome)),
                    "last_20_steps": float(outcome.quality[:, -20:].mean()),
                    "true_staleness": float(outcome.true_staleness[:, -1].mean()),
                    "tracked_staleness": float(outcome.tracked_staleness[:, -1].mean()),
                    "memories": float(outcome.size[:, -1].mean()),
                    "fidelity": float(outcome.fidelity.mean()),
                }
                for outcome in of_experiment
            ]
            for name, of_experiment in outcomes.items()
        },
        "claims": [
            {
                "section": claim.section,
                "claim": claim.says,
                "paper": claim.paper,
                "ours": judged[claim.name].ours,
                "holds": judged[claim.name].holds,
            }
            for claim in CLAIMS
            if claim.name in judged
        ],
    }
    if "agents" in outcomes:
        test = anova(outcomes["agents"])
        document["anova"] = {"f": test.f, "p": test.p}
    if found is not None:
        document["sensitivity"] = found
    return document
