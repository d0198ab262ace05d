"""`memspan fit`: learn the weights of the ranking from questions with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.table import Table

from memspan.evaluate import DATA_SETS
from memspan.ranking.cross_validation import HOLD_OUTS, HoldOut, Quality, cross_validate, quality_of
from memspan.ranking.examples import Example, collect
from memspan.ranking.fit import DEFAULT_PENALTY, DEFAULT_SPECIAL_PENALTY, fit, scores_of
from memspan.ranking.labelled_store import collect_own
from memspan.ranking.ranker import default_ranker

from . import options
from .environment import Environment, pass_environment
from .opening import open_memory
from .tables import plain_table
from .tracking import bar

__all__ = ["fit_"]


@click.command(
    "fit",
    epilog=options.examples(
        "memspan fit --data locomo locomo10.json --data realtalk chats/Chat_1.json --out weights.json",
        "memspan fit --store chat.memspan --questions asked.jsonl --out weights.json",
        "memspan search 'when did she move?' --user ana --ranker weights.json",
    ),
)
@click.option(
    "--data",
    "data",
    type=(click.Choice(list(DATA_SETS)), click.Path(path_type=Path, exists=True, dir_okay=False)),
    multiple=True,
    metavar="DATASET FILE",
    help="A file of a data set with labelled questions; repeat for several.",
)
@click.option(
    "--questions",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Labelled questions about --store: JSON Lines of user, question, evidence (ids of records), now.",
)
@options.optional_store
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    help="Where the weights are written.",
)
@click.option(
    "--penalty",
    type=click.FloatRange(1e-6, 1e9),
    default=DEFAULT_PENALTY,
    show_default=True,
    help="How much large weights cost: the more, the fewer questions there are.",
)
@click.option(
    "--special-penalty",
    type=click.FloatRange(1e-6, 1e9),
    default=DEFAULT_SPECIAL_PENALTY,
    show_default=True,
    help="On what each kind of question adds to the weights.",
)
@click.option(
    "--cross-validate/--no-cross-validate",
    "validated",
    default=True,
    show_default=True,
    help="Tell how weights learned without a conversation, and without a data set, do on it.",
)
@click.option(
    "--embedder", metavar="NAME", envvar="MEMSPAN_EMBEDDER", help="For --data; as for `memspan eval`."
)
@click.option(
    "--store-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="PATH",
    help="For --data: where ingested conversations stay, as for `memspan eval`.",
)
@options.as_json
@pass_environment
def fit_(
    env: Environment,
    data: Sequence[tuple[str, Path]],
    questions: Path | None,
    store: Path | None,
    out: Path | None,
    penalty: float,
    special_penalty: float,
    validated: bool,
    embedder: str | None,
    store_dir: Path | None,
    as_json: bool,
) -> None:
    """Learn how much each thing that the ranking looks at should count.

    Needs SciPy: pip install 'memspan[fit]'. The package's own weights are shown beside.
    """
    if not data and questions is None:
        raise click.UsageError("give --data, or --store with --questions")
    if (questions is None) != (store is None):
        raise click.UsageError("--store and --questions go together")
    examples: list[Example] = []
    notes = []
    for name in dict.fromkeys(name for name, _ in data):
        files = [path for own, path in data if own == name]
        examples += collect(
            name,
            files,
            embedder=embedder,
            store_dir=store_dir,
            progress=lambda title, total: bar(env, title, total),
        )
        notes.append(f"{name}: " + ", ".join(path.name for path in files))
    if questions is not None and store is not None:
        with open_memory(store) as memory:
            examples += collect_own(memory, questions)
        notes.append(f"own: {questions.name}")
    tables = {
        "package": _by_set(examples),
        **(_cross_validated(examples, penalty, special_penalty) if validated else {}),
    }
    ranker = fit(examples, penalty=penalty, special_penalty=special_penalty, trained_on=notes)
    if out is not None:
        ranker.save(out)
    if as_json:
        env.write_json(
            {
                "weights": ranker.weights,
                "trained_on": notes,
                "quality": {
                    way: {name: _json(each) for name, each in found.items()} for way, found in tables.items()
                },
            }
        )
        return
    for way, found in tables.items():
        env.out.print(_table(_TITLES[way], found))
    if out is not None:
        env.note(f"weights written to '{out}'")


_TITLES = {
    "package": "with the package's weights (learned from LoCoMo, REALTALK and BEAM, perhaps from these files)",
    "conversation": "learned without the conversation",
    "data_set": "learned without the data set",
}


def _by_set(examples: Sequence[Example]) -> dict[str, Quality]:
    usual = default_ranker()
    names = dict.fromkeys(example.data_set for example in examples)
    return {
        name: quality_of(
            [example for example in examples if example.data_set == name],
            lambda _, each: scores_of(usual, each),
        )
        for name in names
    }


def _cross_validated(
    examples: Sequence[Example], penalty: float, special_penalty: float
) -> dict[str, dict[str, Quality]]:
    found: dict[str, dict[str, Quality]] = {}
    ways: tuple[HoldOut, ...] = HOLD_OUTS
    for way in ways:
        parts = {(each.data_set, each.conversation if way == "conversation" else "") for each in examples}
        if len(parts) > 1:
            found[way] = cross_validate(examples, way, penalty=penalty, special_penalty=special_penalty)
    return found


def _json(quality: Quality) -> dict[str, object]:
    return {
        "questions": quality.questions,
        "mrr": quality.mrr,
        "recall": {str(k): value for k, value in quality.recall.items()},
    }


def _table(title: str, found: dict[str, Quality]) -> Table:
    table = plain_table(title)
    depths = next(iter(found.values())).recall
    for name in ("data set", "n", *(f"R@{k}" for k in depths), "MRR"):
        table.add_column(name, justify="left" if name == "data set" else "right")
    for name, quality in found.items():
        shown = [f"{100 * value:.1f}" for value in (*quality.recall.values(), quality.mrr)]
        table.add_row(name, str(quality.questions), *shown)
    return table
