"""`memspan eval`: how well a memory finds the evidence of a data set's questions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from memspan.cli import options
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.evaluation.models import check_models, models_of
from memspan.cli.evaluation.report import print_evaluation
from memspan.cli.evaluation.worst import print_worst, worst_json
from memspan.cli.tracking import bar
from memspan.evaluate import DATA_SETS, Evaluation, evaluate
from memspan.evaluate.chart import draw, require_matplotlib
from memspan.evaluate.run import DEFAULT_KS
from memspan.limits import MAX_K
from memspan.ranking import Ranker
from memspan.recall.context import MAX_TOKENS
from memspan.recipes import recipe_names

__all__ = ["eval_"]


def _picture(context: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    # It is drawn at the end of what may be hours.
    if value is None:
        return None
    if value.suffix.lower() != ".png":
        raise click.BadParameter(f"got '{value}'; accepted: a file whose name ends in .png")
    if not value.parent.is_dir():
        raise click.BadParameter(f"got '{value}'; accepted: a file in a directory that exists")
    if not value.exists() and not os.access(value.parent, os.W_OK):
        raise click.BadParameter(f"got '{value}'; accepted: a file in a directory that can be written")
    return value


@click.command(
    "eval",
    short_help="Score the evidence found for a data set's questions.",
    epilog=options.examples(
        "memspan eval locomo locomo10.json",
        "memspan eval realtalk chats/Chat_*.json --k 5 --k 10 --worst 5",
        "memspan eval beam beam/100K/*/chat.json --plot beam.png",
        "memspan eval locomo locomo10.json --user conv-26 --view lexical --json",
        "memspan eval locomo locomo10.json --recipe simplemem --llm gpt-4.1-mini --answer --judge gpt-4o-mini",
    ),
)
@click.argument("data_set", metavar="DATASET", type=click.Choice(list(DATA_SETS)))
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@click.option(
    "--k",
    "ks",
    type=click.IntRange(1, MAX_K),
    multiple=True,
    default=DEFAULT_KS,
    show_default=True,
    help="Score the first K records; repeat for several. The largest is how many each question asks for.",
)
@click.option(
    "--by-category/--no-by-category", default=True, show_default=True, help="Score every category as well."
)
@click.option(
    "--user",
    "users",
    multiple=True,
    help="Only this conversation; repeat for several. MEMSPAN_USER does not stand in for it.",
)
@click.option("--limit", type=click.IntRange(1), help="Only the first so many questions.")
@click.option(
    "--view",
    "views",
    type=click.Choice(("semantic", "lexical", "symbolic")),
    multiple=True,
    help="Search by this view only; repeat for several. Default: what `Memory.search` does.",
)
@click.option("--neighbors", type=click.IntRange(0), help="Let so many turns around a hit rise with it.")
@click.option(
    "--tokens",
    type=click.IntRange(0, MAX_TOKENS),
    default=600,
    show_default=True,
    help="Make a context of so many tokens for each question and score the evidence in it; 0 for none.",
)
@options.fusion
@options.ranker
@options.rerank_ms
@click.option(
    "--recipe",
    type=click.Choice(recipe_names()),
    default="verbatim",
    show_default=True,
    help="Make memories of the turns by this recipe first; most need --llm.",
)
@options.llm
@options.base_url
@click.option(
    "--answer",
    is_flag=True,
    help="Let the model of --llm answer each question from what the memory finds, and score it.",
)
@click.option(
    "--reader",
    type=click.Choice(("ask", "read")),
    default="ask",
    show_default=True,
    help="With --answer: `ask` answers as `memspan ask` does, with the recipe's plan, depth and tokens; `read` asks "
    "in one prompt, the same for every recipe, over contexts of --tokens.",
)
@click.option("--judge", metavar="MODEL", help="With --answer: the model that judges the answers.")
@click.option("--judge-base-url", metavar="URL", help="The judge's server. Default: that of --base-url.")
@click.option(
    "--judge-memories/--no-judge-memories",
    default=True,
    show_default=True,
    help="With --judge, --recipe and HaluMem: judge what was remembered, too; a call for each point and memory.",
)
@click.option(
    "--consolidate/--no-consolidate",
    default=True,
    show_default=True,
    help="With --recipe: let it put its memories in order before the questions, if it does that (lightmem).",
)
@click.option("--worst", type=click.IntRange(1), help="Show so many questions whose evidence came last.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    metavar="FILE.png",
    callback=_picture,
    help="Draw recall by category and against k.",
)
@click.option(
    "--embedder",
    metavar="NAME",
    envvar="MEMSPAN_EMBEDDER",
    show_envvar=True,
    help="A model of `memspan models list`, or `hash`. Default: the default model.",
)
@click.option(
    "--store-dir",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="PATH",
    help="Where ingested conversations and their vectors stay for the next time. "
    "Default: `eval` below memspan's cache directory.",
)
@click.option("--questions", is_flag=True, help="With --json: every question with what came back.")
@options.as_json
@pass_environment
def eval_(
    env: Environment,
    data_set: str,
    files: tuple[Path, ...],
    ks: tuple[int, ...],
    by_category: bool,
    users: tuple[str, ...],
    limit: int | None,
    views: tuple[str, ...],
    neighbors: int | None,
    tokens: int,
    fusion: str | None,
    ranker: Ranker | None,
    rerank_ms: int,
    recipe: str,
    llm: str | None,
    base_url: str | None,
    answer: bool,
    reader: str,
    judge: str | None,
    judge_base_url: str | None,
    judge_memories: bool,
    consolidate: bool,
    worst: int | None,
    plot: Path | None,
    embedder: str | None,
    store_dir: Path | None,
    questions: bool,
    as_json: bool,
) -> None:
    """Ask the questions of a data set and score the turns that come back.

    DATASET is locomo, realtalk, beam, longmemeval or halumem; FILE... are its files (BEAM: each chat's
    chat.json). Conversations are ingested once and kept, so that an interrupted run goes on with those; searches
    are made anew. No language model is used without --recipe or --answer. Every figure is a micro average over the
    questions with evidence.

    With --recipe, turns count as found when a record that was made of them is. With --answer, a language model
    answers from what is found; conversations and questions are then sent to its server, whose key is read from
    OPENAI_API_KEY. Its answers are kept: an interrupted run asks nothing twice, and failed ones are asked again.
    """
    if questions and not as_json:
        raise click.UsageError("--questions needs --json")
    if plot is not None:
        require_matplotlib()
    chosen: dict[str, Any] = {
        "views": list(views) or None,
        "neighbors": neighbors,
        "fusion": fusion,
        "ranker": ranker,
        "rerank_ms": rerank_ms or None,
    }
    check_models(recipe, llm, answer, reader, judge, judge_base_url, tokens)
    asked = llm if answer or recipe != "verbatim" else None
    with models_of(asked, judge, base_url, judge_base_url) as models:
        evaluation = evaluate(
            data_set,
            files,
            ks=ks,
            embedder=embedder,
            store_dir=store_dir,
            users=users or None,
            limit=limit,
            options={name: value for name, value in chosen.items() if value is not None},
            progress=lambda title, total: bar(env, title, total),
            tokens=tokens,
            recipe=recipe,
            llm=models.llm,
            reading=models.reading(reader=reader, memories=judge_memories) if answer else None,
            consolidate=consolidate,
        )
    if plot is not None:
        draw(evaluation, plot)
    if as_json:
        env.write_json(_document(evaluation, by_category, questions, worst))
        return
    print_evaluation(env, evaluation, by_category=by_category)
    if evaluation.construction is not None or evaluation.reading is not None:
        _print_models(env, evaluation)
    if worst is not None:
        print_worst(env, evaluation, worst)
    if plot is not None:
        env.note(f"chart written to '{plot}'")


def _print_models(env: Environment, evaluation: Evaluation) -> None:
    # Needs the packages that ask a model, as the evaluation did.
    from memspan.cli.evaluation.answers import print_construction, print_reading

    if evaluation.construction is not None:
        print_construction(env, evaluation.construction, evaluation.recipe, evaluation.data_set)
    if evaluation.reading is not None:
        print_reading(env, evaluation.reading)


def _document(
    evaluation: Evaluation, by_category: bool, questions: bool, worst: int | None
) -> dict[str, Any]:
    document = evaluation.to_dict(by_category=by_category, questions=questions)
    if worst is not None:
        document["worst"] = worst_json(evaluation, worst)
    return document
