"""HaluMem's figures as `memspan eval` shows them: each with what it is over."""

from __future__ import annotations

import io
import re

from rich.console import Console

from memspan.cli.environment import Environment
from memspan.cli.evaluation.halumem import print_halumem
from memspan.evaluate.reading.halumem import Answers, Extracted, Point
from memspan.evaluate.reading.memories import JudgedMemories
from memspan.evaluate.reading.report import AnswerReport
from memspan.llm import Usage


def test_each_figure_with_what_it_is_over() -> None:
    report = AnswerReport(
        data_set="halumem",
        categories=(),
        recipe="simplemem",
        reader="r",
        judge="j",
        manner="halumem",
        asked_by="ask",
        plan="rules",
        k=None,
        tokens=600,
        users=1,
        construction=None,
        answers=(),
        memories=JudgedMemories(
            points=(
                Point(score=2, importance=1.0),
                Point(score=None, importance=1.0),
                Point(score=0, importance=1.0, interference=True),
                Point(score=2, importance=1.0, interference=True),
                Point(score=0, importance=1.0, interference=True),
            ),
            memories=(
                Extracted(score=2, expected=True),
                Extracted(score=0, expected=False),
                Extracted(score=None, expected=False),
            ),
            usage=Usage(),
        ),
    )
    answers = Answers(correct=0.5, hallucination=0.25, omission=0.0, answers=4, judged=3)
    out = Console(file=io.StringIO(), width=120)

    print_halumem(Environment(io.StringIO(), out, out), report, answers)

    lines = out.file.getvalue().splitlines()  # type: ignore[attr-defined]
    found = {cells[0]: cells[1:] for line in lines if len(cells := re.split(r" {2,}", line.strip())) == 4}
    assert found["answers: correct"] == ["50.0", "4", "3"]
    assert found["memory integrity (recall)"] == ["50.0", "2", "1"]
    assert found["the same, by importance"] == ["50.0", "2", "1"]
    assert found["misleading points refused"] == ["66.7", "3", "3"]
    assert found["memory accuracy"] == ["33.3", "3", "2"]
    assert found["the same, of expected memories"] == ["100.0", "1", "1"]
