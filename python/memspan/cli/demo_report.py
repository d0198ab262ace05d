"""What `memspan demo` shows: the turns found for each question, and how long it took."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from rich.text import Text

from memspan.demo import USER, Question
from memspan.ingestion import IngestReport
from memspan.remember.searching.recall import Recall

from .environment import Environment
from .recalls import print_recalls, recall_json

__all__ = ["Answers", "demo_json", "print_answer", "print_introduction", "print_summary"]

Answers: TypeAlias = Sequence[tuple[Question, Sequence[Recall]]]
"""Every question with the turns that were found for it, best first."""


def found(question: Question, recalls: Sequence[Recall]) -> list[str]:
    """Ids of the evidence turns that are among `recalls`."""
    ids = {recall.id for recall in recalls}
    return [turn for turn in question.evidence if turn in ids]


def mark(question: Question, recall: Recall) -> Text:
    """What a turn is to the question."""
    if recall.id in question.evidence:
        return Text("✓ answer", style="bold green")
    if recall.id in question.superseded:
        return Text("~ earlier", style="yellow")
    return Text("")


def print_introduction(env: Environment, turns: int, asked: int) -> None:
    """What is about to be seen, and how the tables are read."""
    env.paragraph(
        f"Two friends, Mira and Jonas, have written each other {turns} messages in seven months of 2024. memspan has "
        f"stored them and is asked {asked} questions. No language model takes part: what comes back are the turns that "
        "hold the answer, as they were written."
    )
    env.say("")
    for name, meaning in (
        ("score", "what the turns are ranked by, best first"),
        ("semantic", "#rank, cosine of embeddings (what was meant)"),
        ("lexical", "#rank, BM25 of words (what was said)"),
        ("✓ answer", "the turn holds the answer"),
        ("~ earlier", "the turn holds a plan that was changed later"),
    ):
        env.paragraph(f"  {name:<9}  {meaning}", style="dim")
    env.say("")


def print_answer(env: Environment, number: int, question: Question, recalls: Sequence[Recall]) -> None:
    """One question: its turns as a table, and what a reader should find in them."""
    hits = found(question, recalls)
    env.say(f"{number}. {question.question}  [{question.kind}]", style="bold")
    print_recalls(env.out, recalls, scores=True, marks=[mark(question, recall) for recall in recalls])
    env.paragraph(
        f"Expected: {question.answer}. Turns that hold it: {len(hits)} of {len(question.evidence)} found.",
        style="dim",
    )
    env.say("")


def print_summary(
    env: Environment,
    answers: Answers,
    report: IngestReport | None,
    search_seconds: float,
    embedder: str,
    keep: Path | None,
) -> None:
    """Totals, timings on this machine, and what to do next.

    Args:
        report: of the turns; `None`: an earlier call kept them.
    """
    hits = sum(len(found(question, recalls)) for question, recalls in answers)
    evidence = sum(len(question.evidence) for question, _ in answers)
    env.paragraph(f"Of the {evidence} turns that hold an answer, {hits} were found.", style="bold")
    stored = "The store had all turns already"
    if report is not None:
        stored = (
            f"{report.total} turns in {report.seconds:.2f} s ({report.rate:,.0f} a second, "
            "loading the model and embedding included)"
        )
    env.paragraph(
        f"{stored}; "
        f"a search takes {search_seconds * 1e3:.1f} ms (median, embedding the question included); "
        f"embedder: {embedder}"
    )
    if embedder.startswith("hash"):
        env.paragraph(
            "This embedder knows words only; the default model, which `memspan models pull` fetches, knows meaning."
        )
    env.say("")
    store = "demo.memspan" if keep is None else shlex.quote(str(keep))
    env.say("Next: ask it yourself, then ingest conversations of your own", style="bold")
    if keep is None:
        env.say(f"  memspan demo --keep {store}")
    env.say(f'  memspan search "What did Tiller eat?" --store {store} --user {USER}')
    env.say("  memspan ingest FILE --store my.memspan --user me")


def demo_json(answers: Answers, report: IngestReport, search_seconds: float, embedder: str) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "embedder": embedder,
        "turns": report.total,
        "ingest_seconds": round(report.seconds, 4),
        "turns_per_second": round(report.rate, 1),
        "search_median_ms": round(search_seconds * 1e3, 3),
        "questions": [
            {
                "kind": question.kind,
                "question": question.question,
                "evidence": list(question.evidence),
                "found": found(question, recalls),
                "answer": question.answer,
                "hits": recall_json(recalls, scores=True),
            }
            for question, recalls in answers
        ],
    }
