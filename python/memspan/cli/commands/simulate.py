"""`memspan simulate`: the study of what to store, how to compress and what goes stale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource
from rich.progress import TaskID

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.tables import cell, plain_table, print_figures
from memspan.cli.tracking import bar
from memspan.formats.questions import DATA_SETS
from memspan.simulate import CLAIMS, EXPERIMENTS, READINGS, WORLDS, Outcome, sensitivity, simulate, verdicts

if TYPE_CHECKING:
    from memspan.simulate.claims import Verdict
    from memspan.simulate.tables import Table

__all__ = ["simulate_"]

_FLAGS = {"sensitive": "sensitivity"}
_SHORT: Final = 24
"""Characters of the longest cell in a table of figures; texts are longer, and are wrapped."""


@click.command(
    "simulate",
    short_help="Study quotas, compression and staleness.",
    epilog=options.examples(
        "memspan simulate",
        "memspan simulate --experiment staleness --trials 5 --json",
        "memspan simulate --sensitivity --out figures",
        "memspan simulate --real locomo locomo10.json --experiment staleness",
    ),
)
@click.option(
    "--experiment",
    "names",
    type=click.Choice(list(EXPERIMENTS)),
    multiple=True,
    help="Only this experiment; repeat for several. Default: all. With --real: capacity, allocation, compression, "
    "staleness.",
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
@click.option(
    "--real",
    "files",
    type=(click.Choice(list(DATA_SETS)), click.Path(path_type=Path, exists=True, dir_okay=False)),
    multiple=True,
    metavar="DATASET FILE",
    help="Instead of simulating, ask the questions of this file of a data set (locomo, realtalk, beam, ...): evidence "
    "recall against capacity, allocation, compression and staleness. Repeat for several.",
)
@click.option(
    "--ratio",
    "ratios",
    type=click.FloatRange(0, 1, min_open=True),
    multiple=True,
    help="With --real: a target ratio of compression; repeat for several. Each has all turns embedded anew. "
    "Default: 0.8, 0.6, 0.4, 0.2.",
)
@click.option(
    "--embedder",
    metavar="NAME",
    envvar="MEMSPAN_EMBEDDER",
    show_envvar=True,
    help="With --real: a model of `memspan models list`, or `hash`. Default: the default model.",
)
@click.option(
    "--store-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="PATH",
    help="With --real: where vectors stay for the next time. Default: as for `memspan eval`.",
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
    files: tuple[tuple[str, Path], ...],
    ratios: tuple[float, ...],
    embedder: str | None,
    store_dir: Path | None,
    as_json: bool,
) -> None:
    """Simulate memories that are allocated, compressed and go stale, as the paper does.

    Every experiment of "Agent Memory: What to Store, How to Compress, and Prevent Staleness" is run over the quotas
    and policies of this package, and laid beside the paper's figures; then each of its claims is judged. The
    same seed gives the same figures. Needs the extra `simulate`.

    With --real the memories are the turns of real conversations, and what counts is how much of the evidence of their
    questions is among the first ten records. Nothing is written to a store of yours, and no language model is used.
    """
    if out is not None:
        _prepare(out)
    if files:
        for option in ("trials", "seed", "sensitive"):
            if _given(option):
                raise click.UsageError(f"--{_FLAGS.get(option, option)} does not go with --real")
        _real(env, names, files, ratios, embedder, store_dir, out, as_json)
        return
    if embedder is not None and _given("embedder"):
        raise click.UsageError("--embedder goes with --real")
    if store_dir is not None or ratios:
        raise click.UsageError("--store-dir and --ratio go with --real")
    from memspan.simulate.statistics import require_scipy
    from memspan.simulate.tables import readings_table, sensitivity_table, tables

    require_scipy()
    chosen = tuple(dict.fromkeys(names)) or tuple(EXPERIMENTS)
    with bar(env, "simulating", sum(len(EXPERIMENTS[name].conditions) for name in chosen)) as advance:
        outcomes = simulate(chosen, trials=trials, seed=seed, advance=advance)
    found = None
    if sensitive:
        with bar(env, "other worlds", len(WORLDS) + len(READINGS)) as advance:
            found = sensitivity(trials=min(trials, 8), seed=seed, advance=advance)
    shown = tables(outcomes)
    if found is not None:
        shown += [readings_table(found, outcomes), sensitivity_table(found)]
    if out is not None:
        _write(out, shown, outcomes)
    if as_json:
        env.write_json(_document(outcomes, trials, seed, found))
        return
    for table in shown:
        print_table(env, table)


def _prepare(out: Path) -> None:
    """What would fail after minutes fails at once: a folder that cannot be or be written to, figures that cannot be
    drawn."""
    from memspan.simulate.figures import require_matplotlib

    require_matplotlib()
    try:
        out.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise click.UsageError(f"--out {out}: {error.strerror or error}") from error


def _given(name: str) -> bool:
    """Whether an option stands on the command line, and not in the environment."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _real(
    env: Environment,
    names: tuple[str, ...],
    files: tuple[tuple[str, Path], ...],
    ratios: tuple[float, ...],
    embedder: str | None,
    store_dir: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    from memspan.simulate.real import REAL_EXPERIMENTS, real_study
    from memspan.simulate.real.compression import RATIOS

    for name in names:
        if name not in REAL_EXPERIMENTS:
            raise click.UsageError(f"--real has no experiment '{name}'; it has {', '.join(REAL_EXPERIMENTS)}")
    if ratios and names and "compression" not in names:
        raise click.UsageError("--ratio goes with --experiment compression")
    with env.progress() as progress:
        tasks: dict[str, TaskID] = {}

        def advance(what: str, count: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=None)
            progress.advance(tasks[what], count)

        study = real_study(
            files,
            names=tuple(dict.fromkeys(names)) or None,
            embedder=embedder,
            store_dir=store_dir,
            ratios=tuple(dict.fromkeys(ratios)) or RATIOS,
            advance=advance,
        )
    shown = study.tables()
    if out is not None:
        from memspan.simulate.real.figures import draw_real

        _write_tables(out / "real.md", shown)
        draw_real(study, out)
    if as_json:
        env.write_json(study.to_dict())
        return
    for table in shown:
        print_table(env, table)


def print_table(env: Environment, table: Table) -> None:
    """A table of a study, for people; one of figures in several below one another where it does not fit."""
    short = all(len(text) <= _SHORT for row in table.rows for text in row)
    drawn = plain_table(None if short else table.title)
    for column in table.columns:
        drawn.add_column(column, overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(cell, row))
    if short:
        env.say(table.title, style="italic")
        print_figures(env.out, drawn)
    else:
        env.out.print(drawn)
    if table.note:
        env.say(table.note, style="dim")
    env.out.print()


def _write(directory: Path, shown: Sequence[Table], outcomes: Mapping[str, Sequence[Outcome]]) -> None:
    from memspan.simulate.figures import draw

    _write_tables(directory / "tables.md", shown)
    draw(outcomes, directory)


def _write_tables(path: Path, shown: Sequence[Table]) -> None:
    path.write_text("\n\n".join(table.markdown() for table in shown) + "\n", encoding="utf-8")


def _document(
    outcomes: Mapping[str, Sequence[Outcome]],
    trials: int,
    seed: int,
    found: Mapping[str, Mapping[str, Verdict]] | None,
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
                    "last_20_steps": outcome.at_end,
                    "true_staleness": float(outcome.true_staleness[:, -1].mean()),
                    "tracked_staleness": float(outcome.tracked_staleness[:, -1].mean()),
                    "memories": float(outcome.size[:, -1].mean()),
                    "fidelity": float(outcome.fidelity.mean()),
                    "evicted": float(outcome.evicted.mean()),
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
        document["sensitivity"] = {
            claim: {world: asdict(verdict) for world, verdict in worlds.items()}
            for claim, worlds in found.items()
        }
    return document
