"""What `memspan eval halumem --judge` shows: answers in three kinds, and what was remembered."""

from __future__ import annotations

from typing import Final

from rich.table import Table

from memspan.cli.environment import Environment
from memspan.cli.tables import cell, plain_table, print_figures
from memspan.evaluate.reading.halumem import Answers
from memspan.evaluate.reading.published import published
from memspan.evaluate.reading.report import AnswerReport

from .beside import print_beside

__all__ = ["print_halumem"]

_FIGURES: Final = ("integrity", "accuracy", "judge")


def print_halumem(env: Environment, report: AnswerReport, answers: Answers) -> None:
    """HaluMem's figures in percent, each with what it is over. What the judge gave no verdict on counts as not right,
    missing or wrong."""
    env.say("")
    env.say("HaluMem's figures, percent; prompts in our own words with its authors' criteria")
    table = plain_table()
    for name, side in (("figure", "left"), ("%", "right"), ("of", "right"), ("judged", "right")):
        table.add_column(name, justify="right" if side == "right" else "left")
    over = (answers.answers, answers.judged)
    for name in ("correct", "hallucination", "omission"):
        _add(table, f"answers: {name}", getattr(answers, name), *over)
    integrity, accuracy = report.integrity(), report.accuracy()
    if integrity is not None:
        misleading = (integrity.misleading, integrity.misleading_judged)
        points = (integrity.points - misleading[0], integrity.judged - misleading[1])
        _add(table, "memory integrity (recall)", integrity.recall, *points)
        _add(table, "the same, by importance", integrity.weighted_recall, *points)
        _add(table, "misleading points refused", integrity.interference_refused, *misleading)
    if accuracy is not None:
        expected = (accuracy.expected, accuracy.expected_judged)
        _add(table, "memory accuracy", accuracy.accuracy, accuracy.memories, accuracy.judged)
        _add(table, "the same, of expected memories", accuracy.expected_accuracy, *expected)
    print_figures(env.out, table)
    if rows := [row for row in published("halumem") if "integrity" in row.figures]:
        env.say("the papers' own figures: memory integrity, memory accuracy, right answers", style="dim")
        found = [
            (
                (row.method, f"{row.paper}, table {row.table}", row.model, row.judge or "-"),
                [f"{row.figures[name]:.1f}" for name in _FIGURES],
            )
            for row in rows
        ]
        print_beside(env.out, ("method", "where", "model", "judge by"), _FIGURES, found)


def _add(table: Table, name: str, share: float | None, of: int, judged: int) -> None:
    shown = "-" if share is None else f"{share * 100:.1f}"
    table.add_row(*map(cell, (name, shown, f"{of:,}", f"{judged:,}")))
