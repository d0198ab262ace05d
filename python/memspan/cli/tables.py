"""The one table style of this command line, and its cells."""

from __future__ import annotations

from datetime import datetime

from rich import box
from rich.table import Table
from rich.text import Text

from .printable import printable

__all__ = ["cell", "moment", "plain_table"]


def cell(text: object, style: str = "") -> Text:
    """A table cell that shows `text` literally: no markup, no control characters."""
    return Text(printable(str(text)), style=style)


def moment(at: datetime) -> str:
    """A time as people read it, to the minute, in UTC."""
    return at.strftime("%Y-%m-%d %H:%M")


def plain_table(title: str | None = None) -> Table:
    """The one table style of this command line; readable when piped to a file as well."""
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
