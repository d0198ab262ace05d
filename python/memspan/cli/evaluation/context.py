"""What `memspan eval` shows of contexts: how much evidence stands inside the token budget."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from memspan.cli.tables import cell, estimate_cell, plain_table
from memspan.evaluate import Group

__all__ = ["context_table"]

_COLUMNS = {"tokens": 1, "recall": 100, "all": 100, "named": 100}


def context_table(groups: Sequence[Group]) -> Table:
    """A row for each group: mean tokens, and percent of the evidence."""
    table = plain_table()
    table.add_column("questions", overflow="fold")
    table.add_column("n", justify="right", no_wrap=True)
    for name in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for group in groups:
        if group.context:
            values = [estimate_cell(group.context[name], scale) for name, scale in _COLUMNS.items()]
        else:
            values = [Text("-", style="dim") for _ in _COLUMNS]
        table.add_row(cell(group.name), cell(f"{group.scored:,}"), *values)
    return table
