"""The one table style of this command line, and its cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from .printable import printable

if TYPE_CHECKING:
    from memspan.evaluate import Estimate

__all__ = ["cell", "counted", "estimate_cell", "fits", "moment", "plain_table", "print_figures"]

_GAP: Final = 3
"""Blanks between the columns of `plain_table`."""

_TEXT: Final = 24
"""Columns that a text needs, which may go on below; whatever else has a column is shown unbroken."""


def cell(text: object, style: str = "") -> Text:
    """A table cell that shows `text` literally: no markup, no control characters."""
    return Text(printable(str(text)), style=style)


def moment(at: datetime) -> str:
    """A time as people read it, to the minute, in UTC."""
    return at.strftime("%Y-%m-%d %H:%M")


def counted(count: int, noun: str) -> str:
    """`1 record`, `2 records`, `1,200 records`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def estimate_cell(estimate: Estimate, scale: float = 100) -> Text:
    """A mean, by default in percent, above half of its interval."""
    half = (estimate.high - estimate.low) / 2
    return Text(f"{estimate.mean * scale:.1f}\n") + Text(f"±{half * scale:.1f}", style="dim")


def plain_table(title: str | None = None) -> Table:
    """The one table style of this command line; readable when piped to a file as well."""
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def print_figures(console: Console, table: Table, labels: int = 1) -> None:
    """Print a table of figures below its title; where the terminal is too narrow for it, in several below one another,
    each with the first `labels` columns. A row without its name, or a figure without its end, would be read wrongly.
    Columns with a `ratio` are texts, which may be broken into lines."""
    if table.title is not None:
        console.print(table.title, style="table.title")
    for number, part in enumerate(_parts(table, labels, console.width)):
        if number > 0:
            console.print()
        console.print(part)


def fits(console: Console, table: Table) -> bool:
    """Whether all columns have room side by side, unbroken but for texts."""
    return sum(_width(column) + _GAP for column in table.columns) - _GAP <= console.width


def _parts(table: Table, labels: int, width: int) -> Iterator[Table]:
    names, figures = table.columns[:labels], table.columns[labels:]
    taken = sum(_width(column) + _GAP for column in names)
    while figures:
        left, count = width - taken, 0
        while count < len(figures) and (count == 0 or _width(figures[count]) <= left):
            left -= _width(figures[count]) + _GAP
            count += 1
        yield _of_columns([*names, *figures[:count]], [row.end_section for row in table.rows])
        figures = figures[count:]


def _width(column: Column) -> int:
    lines = (line for value in (column.header, *column.cells) for line in str(value).splitlines())
    widest = max(map(cell_len, lines), default=0)
    return widest if column.ratio is None else min(widest, _TEXT)


def _of_columns(columns: Sequence[Column], ends: Sequence[bool]) -> Table:
    part = plain_table()
    for column in columns:
        part.add_column(
            column.header,
            justify=column.justify,
            overflow=column.overflow,
            no_wrap=column.no_wrap,
            ratio=column.ratio,
        )
    for row, end in zip(zip(*(column.cells for column in columns), strict=True), ends, strict=True):
        part.add_row(*row, end_section=end)
    return part
