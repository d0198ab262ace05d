"""What `memspan eval` shows of the cost of making memories, beside the papers' own figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rich.table import Table

from memspan.cli.environment import Environment
from memspan.cli.tables import cell, plain_table
from memspan.evaluate.construction import COSTS, Construction
from memspan.evaluate.reading.published import published

from .beside import Row, print_beside

__all__ = ["number_row", "print_costs"]

_TITLES: Final = ("summary in", "summary out", "update in", "update out", "total", "calls", "seconds")
_ELSEWHERE: Final = {"seconds": "construction_seconds"}
"""What another paper calls the same."""


def print_costs(env: Environment, construction: Construction, recipe: str, data_set: str) -> None:
    """One row for this run and one for each that a paper reports for the data set."""
    env.say("")
    env.say("making memories, a conversation: tokens in thousands (the columns of LightMem's table 2)")
    models = ", ".join(dict.fromkeys(each.model for each in construction.stages)) or "-"
    rows = [_row((f"memspan {recipe}", "this run", models), construction.cost())]
    for row in published(data_set):
        figures = dict(row.figures)
        for ours, theirs in _ELSEWHERE.items():
            if theirs in figures:
                figures[ours] = figures[theirs]
        if any(name in figures for name in COSTS):
            rows.append(_row((row.method, f"{row.paper}, table {row.table}", row.model), figures))
    print_beside(env.out, ("method", "where", "model"), _TITLES, rows)
    env.say(
        "Seconds of other machines and servers do not compare; theirs were not measured here.", style="dim"
    )


def number_row(values: Mapping[str, float], digits: int) -> Table:
    """A table of one row, a column for each value."""
    table = plain_table()
    for name in values:
        table.add_column(name.replace("_", " "), justify="right")
    table.add_row(*(cell(f"{value:,.{digits}f}") for value in values.values()))
    return table


def _row(who: tuple[str, str, str], figures: Mapping[str, float]) -> Row:
    return who, [f"{figures[name]:,.2f}" if name in figures else "-" for name in COSTS]
