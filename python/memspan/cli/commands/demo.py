"""`memspan demo`: a conversation goes in, six questions bring back the turns that answer them."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from memspan.cli import options
from memspan.cli.demo_report import demo_json, print_answer, print_introduction, print_summary
from memspan.cli.environment import Environment, pass_environment
from memspan.cli.failures import CommandError
from memspan.cli.opening import open_memory
from memspan.demo import USER, Question, conversation, questions
from memspan.errors import MissingExtraError, ModelNotFoundError
from memspan.formats import read_turns
from memspan.ingestion import IngestReport, ingest_turns
from memspan.memory import Memory

__all__ = ["demo"]

_ROUNDS = 5
"""Times every question is asked for the timing; the first round, which warms caches, is not counted."""


@click.command(
    short_help="Ask six questions of a conversation that comes along.",
    epilog=options.examples(
        "memspan demo", "memspan demo --keep demo.memspan", "memspan demo --embedder hash"
    ),
)
@click.option(
    "--keep", type=click.Path(path_type=Path), metavar="PATH", help="Keep the store here to go on with it."
)
@options.count(5)
@options.embedder
@options.as_json
@pass_environment
def demo(env: Environment, keep: Path | None, k: int, embedder: str | None, as_json: bool) -> None:
    """Ask six questions of a conversation that comes with memspan.

    Two friends write to each other over seven months. For every question the K best turns are shown
    with their dates, their rank and score in each view, and a mark on those that hold the answer.
    """
    with _place(keep) as store, _memory(store, embedder) as memory:
        before = memory.stats()["sequence"]
        report = _ingest(env, memory)
        new = memory.stats()["sequence"] != before
        asked = questions()
        answers = [(question, memory.search(question.question, user=USER, k=k)) for question in asked]
        median = _median_search(memory, asked, k)
        name = memory.stats()["embedder"]["name"]
    if as_json:
        env.write_json(demo_json(answers, report, median, name))
        return
    print_introduction(env, report.total, len(answers))
    for number, (question, recalls) in enumerate(answers, 1):
        print_answer(env, number, question, recalls)
    print_summary(env, answers, report if new else None, median, name, keep)


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="memspan-demo-") as folder:
        yield Path(folder) / "demo.memspan"


@contextmanager
def _memory(store: Path, embedder: str | None) -> Iterator[Memory]:
    try:
        with open_memory(store, embedder) as memory:
            yield memory
    except (MissingExtraError, ModelNotFoundError) as error:
        raise CommandError(
            f"{error}; `memspan demo --embedder hash` runs without a model, but finds words only"
        ) from error


def _ingest(env: Environment, memory: Memory) -> IngestReport:
    report = IngestReport()
    with conversation() as path, env.progress() as progress:
        task = progress.add_task("ingesting", total=sum(1 for _ in read_turns(path)))
        ingest_turns(
            memory, read_turns(path), report, batch=32, advance=lambda count: progress.advance(task, count)
        )
    return report


def _median_search(memory: Memory, asked: list[Question], k: int) -> float:
    """Seconds of one search, embedding the question included."""
    searches = []
    for _ in range(_ROUNDS):
        for question in asked:
            start = time.perf_counter()
            memory.search(question.question, user=USER, k=k)
            searches.append(time.perf_counter() - start)
    return statistics.median(searches[len(asked) :])
