"""What language models cost, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

from memspan.llm import Usage
from memspan.reports.job_info import UsageEntry

from .tables import cell, counted, plain_table

__all__ = ["usage_documents", "usage_line", "usage_table"]


def usage_documents(entries: Sequence[UsageEntry]) -> list[dict[str, Any]]:
    """One object an entry; names that were not asked for are left out."""
    return [
        {name: value for name, value in zip(entry._fields, entry[:4], strict=False) if value is not None}
        | asdict(entry.usage)
        for entry in entries
    ]


def usage_table(entries: Sequence[UsageEntry]) -> Table:
    """A row a recipe, stage and model, and the sum."""
    table = plain_table()
    for name in ("recipe", "stage", "model"):
        table.add_column(name, overflow="fold")
    for name in ("calls", "prompt tokens", "of these cached", "completion tokens", "seconds", "price"):
        table.add_column(name, justify="right")
    for entry in entries:
        _add(table, [entry.recipe, entry.stage, entry.model], entry.usage)
    total = sum((entry.usage for entry in entries), Usage())
    table.add_section()
    _add(table, ["all", None, None], total)
    return table


def usage_line(usage: Usage) -> str:
    """For people, in one line."""
    price = "" if usage.price is None else f", price {usage.price:,.4f}"
    return (
        f"{counted(usage.calls, 'call')}, {counted(usage.prompt_tokens, 'prompt token')}, "
        f"{counted(usage.completion_tokens, 'completion token')}{price}"
    )


def _add(table: Table, names: Sequence[str | None], usage: Usage) -> None:
    table.add_row(
        *(cell(name or "") for name in names),
        f"{usage.calls:,}",
        f"{usage.prompt_tokens:,}",
        f"{usage.cached_tokens:,}",
        f"{usage.completion_tokens:,}",
        f"{usage.seconds:,.1f}",
        "" if usage.price is None else f"{usage.price:,.4f}",
    )
