"""`memspan fit`: learn the weights of the ranking from questions with known answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.fit_own import fit_questions
from memspan.cli.fit_report import flaws_as_json, note_flaws, quality_as_json, quality_table, save
from memspan.cli.opening import open_memory
from memspan.cli.tables import print_figures
from memspan.cli.tracking import bar
from memspan.embed import resolve_embedder
from memspan.errors import FormatError
from memspan.evaluate import DATA_SETS
from memspan.fitting.adapter import Asking, EmbedderName
from memspan.fitting.cross_validation import (
    HOLD_OUTS,
    HoldOut,
    Parts,
    Quality,
    by_rankers,
    cross_validate,
)
from memspan.fitting.examples import AdapterOf, Example, collect, collect_askings
from memspan.fitting.labelled_store import Flaw, collect_own
from memspan.fitting.learning import Learning
from memspan.fitting.ranker import fit_ranker
from memspan.fitting.weights import DEFAULT_PENALTY, DEFAULT_SPECIAL_PENALTY
from memspan.ranking import default_ranker, has_tuned_questions

__all__ = ["fit_"]


@click.command(
    "fit",
    short_help="Learn the ranking's weights from labelled questions.",
    epilog=options.examples(
        "memspan fit --data locomo locomo10.json --data realtalk chats/Chat_1.json --out weights.json",
        "memspan fit --store chat.memspan --questions asked.jsonl --out weights.json",
        "memspan search 'when did she move?' --store chat.memspan --user ana --ranker weights.json",
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
    help=f"On the squares of the weights: more keeps them smaller; {DEFAULT_PENALTY:g} if not given. With --questions "
    "alone, on how far they move from the package's; chosen by cross-validation if not given.",
)
@click.option(
    "--special-penalty",
    type=click.FloatRange(1e-6, 1e9),
    help=f"On what each kind of question adds to the weights; {DEFAULT_SPECIAL_PENALTY:g} if not given, and with "
    "--questions alone half of the penalty.",
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
    help="Also learn a small net beside the weights, from 300 questions on; with --questions alone, keep the "
    "package's.",
)
@click.option(
    "--cross-validate/--no-cross-validate",
    "validated",
    default=True,
    show_default=True,
    help="Tell how weights learned without a conversation, and without a data set, do on it; with --questions alone, "
    "without a part of them.",
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
    penalty: float | None,
    special_penalty: float | None,
    adapted: bool | None,
    netted: bool,
    validated: bool,
    embedder: str | None,
    store_dir: Path | None,
    as_json: bool,
) -> None:
    """Learn how much each thing that the ranking looks at should count, and a small net for what such a sum cannot say.

    With --questions alone the package's weights are moved, a little by few questions and far by many, and a verdict
    says whether searches were better for it on questions left out: 20 or more are needed. With --data weights are
    learned anew, and rankings are compared, before tokens are looked at. Needs SciPy: pip install 'memspan[fit]'. The
    package's own weights are shown beside. They, and how the default embedder embeds questions, were learned from
    LoCoMo, REALTALK and BEAM, whose own questions flatter them, even where weights were learned without them.
    """
    if not data and questions is None:
        raise click.UsageError("give --data, or --store with --questions")
    if (questions is None) != (store is None):
        raise click.UsageError("--store and --questions go together")
    if adapted and not data:
        raise click.UsageError("--adapter needs --data")
    if out is not None and not out.parent.is_dir():
        raise click.BadParameter(f"there is no folder '{out.parent}'", param_hint="'--out'")
    if store is not None and questions is not None and not data:
        fit_questions(
            env,
            store,
            questions,
            out,
            as_json=as_json,
            penalty=penalty,
            special_penalty=special_penalty,
            net=netted,
            validated=validated,
        )
        return
    files = {
        name: [path for own, path in data if own == name] for name in dict.fromkeys(name for name, _ in data)
    }
    source = _Source(env, files, embedder, store_dir, store, questions)
    notes = [f"{name}: " + ", ".join(path.name for path in paths) for name, paths in files.items()]
    notes += [] if questions is None else [f"own: {questions.name}"]
    wanted: dict[str, Any] = {
        "penalty": DEFAULT_PENALTY if penalty is None else penalty,
        "special_penalty": DEFAULT_SPECIAL_PENALTY if special_penalty is None else special_penalty,
        "net": netted,
    }
    usual = default_ranker(*source.embedder())
    tuned = has_tuned_questions(*source.embedder())
    if adapted is None:
        adapted = not tuned
    seen = sorted(_TUNED_ON & {*files}) if tuned else []
    examples = source.examples(lambda *_: None)
    if not any(each.relevant.any() for each in examples):
        read = ", ".join(str(path) for _, path in data)
        raise FormatError(
            f"{read}: no question to learn from; accepted: one or more with evidence in the conversations"
        )
    tables = {"package": by_rankers([(example, usual) for example in examples])}
    if adapted:
        askings = source.askings()
        learning = Learning(askings, source.embedder(), source.examples, **wanted)
        tables |= _validated(examples, learning.cross_validate) if validated else {}
        ranker = learning.ranker(notes)
    else:
        check = partial(cross_validate, examples, **wanted)
        tables |= _validated(examples, check) if validated else {}
        ranker = fit_ranker(examples, trained_on=notes, **wanted)
    if as_json:
        env.write_json(
            {
                "weights": ranker.weights,
                "net": ranker.net is not None,
                "trained_on": notes,
                "questions_tuned_on": seen,
                "questions": {"read": source.read, "flaws": flaws_as_json(source.flaws)},
                "quality": {
                    way: {name: quality_as_json(each) for name, each in found.items()}
                    for way, found in tables.items()
                },
            }
        )
        save(env, ranker, out, as_json=True)
        return
    note_flaws(env, source.read, source.flaws)
    for way, found in tables.items():
        title = _TITLES[way] + (_BUT_TUNED if seen and way in HOLD_OUTS else "")
        print_figures(env.out, quality_table(title, found, "data set"))
    save(env, ranker, out, as_json=False)


_TITLES = {
    "package": "with the package's weights (learned from LoCoMo, REALTALK and BEAM, perhaps from these files)",
    "conversation": "learned without the conversation",
    "data_set": "learned without the data set",
}

_TUNED_ON: Final = frozenset({"locomo", "realtalk", "beam"})
"""The data sets from which the default embedder's questions were tuned."""
_BUT_TUNED: Final = ", but the embedder's questions were tuned with LoCoMo, REALTALK and BEAM"


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
        self.read = 0
        self.flaws: tuple[Flaw, ...] = ()
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
                own = collect_own(memory, self._questions, adapter_of)
            own.require_some(self._questions)
            self.read, self.flaws = own.read, own.flaws
            found += own.examples
        return found

    def askings(self) -> list[Asking]:
        """The questions of the data sets as vectors."""
        found: list[Asking] = []
        for name, paths in self._files.items():
            found += collect_askings(name, paths, **self._options)
        return found

    def embedder(self) -> EmbedderName:
        """Of the data sets."""
        resolved = resolve_embedder(self._options["embedder"])
        return EmbedderName(resolved.name, resolved.checksum)


def _validated(
    examples: Sequence[Example], check: Callable[[HoldOut], dict[str, Quality]]
) -> dict[str, dict[str, Quality]]:
    """By what is left out, where something to learn from remains whatever it is."""
    ways = [way for way in HOLD_OUTS if len(_teaching(examples, way)) > 1]
    return {way: check(way) for way in ways}


def _teaching(examples: Sequence[Example], way: HoldOut) -> set[object]:
    """The parts that are left out in turn and have a question with evidence among its candidates."""
    parts = Parts.of([(each.data_set, each.conversation) for each in examples], way)
    return {parts(each.data_set, each.conversation) for each in examples if each.relevant.any()}
