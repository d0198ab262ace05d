"""The one table style of this command line, and its cells."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from .printable import printable

if TYPE_CHECKING:
    from memspan.evaluate import Estimate

__all__ = ["cell", "counted", "estimate_cell", "moment", "plain_table"]


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
