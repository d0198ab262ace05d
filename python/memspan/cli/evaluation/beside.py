"""Rows of this run and of papers: names that take much room, and figures that are to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memspan.cli.tables import cell, fits, plain_table, print_figures

__all__ = ["Row", "print_beside"]

Row = tuple[Sequence[str], Sequence[str]]
"""The names of a row, and its figures."""


def print_beside(
    console: Console,
    names: Sequence[str],
    figures: Sequence[str],
    rows: Iterable[Row],
    remark: str | None = None,
) -> None:
    """Print a row's names, then its figures. Where the terminal is too narrow for all, the names stand below one
    another, and the figures in several tables where they must.

    Args:
        remark: the title of a last column of texts, which every row's figures end with.
    """
    known = list(rows)
    wide = _table(names, figures, remark, ((list(map(cell, who)), found) for who, found in known))
    if fits(console, wide):
        console.print(wide)
        return
    stacked = _table(["\n".join(names)], figures, remark, (([_stacked(who)], found) for who, found in known))
    print_figures(console, stacked)


def _table(
    names: Sequence[str],
    figures: Sequence[str],
    remark: str | None,
    rows: Iterable[tuple[Sequence[Text], Sequence[str]]],
) -> Table:
    table = plain_table()
    for name in names:
        table.add_column(name, overflow="fold")
    for name in figures:
        table.add_column(name, justify="right")
    if remark is not None:
        table.add_column(remark, overflow="fold", ratio=1)
    for who, found in rows:
        table.add_row(*who, *map(cell, found))
    return table


def _stacked(names: Sequence[str]) -> Text:
    return cell("\n".join(names))
