"""Figures on narrow terminals: whole, or in a table below."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from memspan.cli.environment import Environment
from memspan.cli.evaluation.answers import print_construction
from memspan.cli.fit_own import _differences
from memspan.cli.tables import print_figures
from memspan.evaluate import Estimate
from memspan.evaluate.construction import Construction, StageCost
from memspan.evaluate.reading.published import published
from memspan.fitting.verdict import Difference
from memspan.llm import Usage


def console(columns: int) -> Console:
    return Console(file=io.StringIO(), width=columns, markup=False, highlight=False)


def shown(out: Console) -> str:
    file: Any = out.file
    text: str = file.getvalue()
    assert "…" not in text
    return text


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_intervals_of_a_verdict_are_shown_whole(columns: int) -> None:
    figures = {
        name: Estimate(0.123, -0.021, 0.234 + number / 100)
        for number, name in enumerate(("R@1", "R@5", "R@10", "MRR"))
    }
    each = Difference(questions=40, figures=figures, finding="better")
    out = console(columns)
    print_figures(out, _differences({"package": each, "rrf": each}), 1)
    text = shown(out)
    assert text.startswith("yours less another, in points")
    for high in ("23.4", "24.4", "25.4", "26.4"):
        assert text.count(f"-2.1..+{high}") == 2


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_what_memories_took_stands_whole_beside_the_papers(columns: int) -> None:
    usage = Usage(calls=1234, prompt_tokens=12_345_678, completion_tokens=1_234_567, seconds=1234.5)
    stages = tuple(
        StageCost(stage=stage, model="gpt-4.1-mini-2025-04-14", usage=usage) for stage in ("buffer", "update")
    )
    construction = Construction(
        users=10, seconds=12_345.6, jobs=12, parked=0, waiting=0, records=123, stages=stages
    )
    out = console(columns)
    print_construction(Environment(io.StringIO(), out, out), construction, "lightmem", "locomo")
    text = shown(out)
    for figure in ("12,345,678", "1,234,567", "1,234.57", "123.46", "2,716.05", "246.80"):
        assert figure in text
    for row in published("locomo"):
        if "total_k" in row.figures:
            for name in (row.method, f"{row.paper}, table {row.table}", row.model):
                assert name in text


def test_names_of_counts_are_shown_whole(run: Any, filled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = run("stats", "--store", filled).stdout
    assert "…" not in text
    assert "index.resident_users" in text
