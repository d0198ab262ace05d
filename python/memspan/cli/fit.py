"""`memspan fit`: learn the weights of the ranking from questions with known answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from memspan.embed import resolve_embedder
from memspan.evaluate import DATA_SETS
from memspan.fitting.adapter import Asking, EmbedderName
from memspan.fitting.cross_validation import HOLD_OUTS, HoldOut, Quality, by_rankers, cross_validate
from memspan.fitting.examples import AdapterOf, Example, collect, collect_askings, embedder_of
from memspan.fitting.labelled_store import collect_own
from memspan.fitting.learning import Learning
from memspan.fitting.ranker import fit_ranker
from memspan.fitting.weights import DEFAULT_PENALTY, DEFAULT_SPECIAL_PENALTY
from memspan.ranking import default_ranker, has_tuned_questions

from . import options
from .environment import Environment, pass_environment
from .opening import open_memory
from .tables import plain_table
from .tracking import bar

__all__ = ["fit_"]


@click.command(
    "fit",
    short_help="Learn the ranking's weights from labelled questions.",
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
    help="On the squares of the weights: more keeps them smaller.",
)
@click.option(
    "--special-penalty",
    type=click.FloatRange(1e-6, 1e9),
    default=DEFAULT_SPECIAL_PENALTY,
    show_default=True,
    help="On what each kind of question adds to the weights.",
)
@click.option(
    "--adapter/--no-adapter",
    "adapted",
    default=None,
    help="Also learn what moves the vectors of questions to where answers lie, from --data. Usual with --data, but for "
    "the default embedder, whose questions were tuned for that.",
)
@click.option(
    "--net/--no-net",
    "netted",
    default=True,
    show_default=True,
    help="Also learn a small net beside the weights, from 300 questions on.",
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
    adapted: bool | None,
    netted: bool,
    validated: bool,
    embedder: str | None,
    store_dir: Path | None,
    as_json: bool,
) -> None:
    """Learn how much each thing that the ranking looks at should count, and a small net for what such a sum cannot say.

    Needs SciPy: pip install 'memspan[fit]'. The package's own weights are shown beside. They, and how the default
    embedder embeds questions, were learned from LoCoMo, REALTALK and BEAM, whose own questions flatter them.
    """
    if not data and questions is None:
        raise click.UsageError("give --data, or --store with --questions")
    if (questions is None) != (store is None):
        raise click.UsageError("--store and --questions go together")
    if adapted and not data:
        raise click.UsageError("--adapter needs --data")
    files = {
        name: [path for own, path in data if own == name] for name in dict.fromkeys(name for name, _ in data)
    }
    source = _Source(env, files, embedder, store_dir, store, questions)
    notes = [f"{name}: " + ", ".join(path.name for path in paths) for name, paths in files.items()]
    notes += [] if questions is None else [f"own: {questions.name}"]
    wanted: dict[str, Any] = {"penalty": penalty, "special_penalty": special_penalty, "net": netted}
    usual = default_ranker(*source.embedder())
    if adapted is None:
        adapted = bool(data) and not has_tuned_questions(*source.embedder())
    examples = source.examples(lambda *_: None)
    tables = {"package": by_rankers([(example, usual) for example in examples])}
    if adapted:
        askings = source.askings()
        learning = Learning(askings, source.embedder(), source.examples, **wanted)
        tables |= _validated(askings, learning.cross_validate) if validated else {}
        ranker = learning.ranker(notes)
    else:
        check = partial(cross_validate, examples, **wanted)
        tables |= _validated(examples, check) if validated else {}
        ranker = fit_ranker(examples, trained_on=notes, **wanted)
    if out is not None:
        ranker.save(out)
    if as_json:
        env.write_json(
            {
                "weights": ranker.weights,
                "net": ranker.net is not None,
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


class _Source:
    """The questions that are learned from."""

    def __init__(
        self,
        env: Environment,
        files: Mapping[str, Sequence[Path]],
        embedder: str | None,
        store_dir: Path | None,
        store: Path | None,
        questions: Path | None,
    ) -> None:
        self._files = files
        self._store = store
        self._questions = questions
        self._options: dict[str, Any] = {
            "embedder": embedder,
            "store_dir": store_dir,
            "progress": lambda title, total: bar(env, title, total),
        }

    def examples(self, adapter_of: AdapterOf) -> list[Example]:
        """All questions, asked with these adapters; those about the store always with the one that is kept."""
        found: list[Example] = []
        for name, paths in self._files.items():
            found += collect(name, paths, adapter_of=adapter_of, **self._options)
        if self._store is not None and self._questions is not None:
            with open_memory(self._store) as memory:
                found += collect_own(memory, self._questions, adapter_of)
        return found

    def askings(self) -> list[Asking]:
        """The questions of the data sets as vectors."""
        found: list[Asking] = []
        for name, paths in self._files.items():
            found += collect_askings(name, paths, **self._options)
        return found

    def embedder(self) -> EmbedderName:
        """Of the data sets; of the store, if there are none."""
        if self._store is not None and not self._files:
            with open_memory(self._store) as memory:
                return embedder_of(memory)
        resolved = resolve_embedder(self._options["embedder"])
        return EmbedderName(resolved.name, resolved.checksum)


def _validated(
    questions: Sequence[Asking] | Sequence[Example], check: Callable[[HoldOut], dict[str, Quality]]
) -> dict[str, dict[str, Quality]]:
    ways = [
        way
        for way in HOLD_OUTS
        if len({(each.data_set, each.conversation if way == "conversation" else "") for each in questions})
        > 1
    ]
    return {way: check(way) for way in ways}


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
