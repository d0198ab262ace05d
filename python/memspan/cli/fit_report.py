"""What `memspan fit` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.table import Table

from memspan.fitting.cross_validation import Quality
from memspan.fitting.labelled_store import Flaw
from memspan.ranking import Ranker

from .environment import Environment
from .tables import counted, plain_table

__all__ = ["flaws_as_json", "note_flaws", "quality_as_json", "quality_table", "save"]

_LISTED: Final = 5


def quality_as_json(quality: Quality) -> dict[str, object]:
    return {
        "questions": quality.questions,
        "mrr": quality.mrr,
        "recall": {str(k): value for k, value in quality.recall.items()},
    }


def quality_table(title: str, found: Mapping[str, Quality], first: str = "ranked by") -> Table:
    """A row for each, in percent."""
    table = plain_table(title)
    depths = next(iter(found.values())).recall
    for name in (first, "n", *(f"R@{k}" for k in depths), "MRR"):
        table.add_column(name, justify="left" if name == first else "right")
    for name, quality in found.items():
        shown = [f"{100 * value:.1f}" for value in (*quality.recall.values(), quality.mrr)]
        table.add_row(name, str(quality.questions), *shown)
    return table


def flaws_as_json(flaws: Sequence[Flaw]) -> list[dict[str, str]]:
    return [
        {"place": each.place, "field": each.field, "got": each.got, "accepted": each.accepted}
        for each in flaws
    ]


def save(env: Environment, ranker: Ranker, out: Path | None, *, as_json: bool) -> None:
    """Write the weights where they are wanted; last, so that what was found is told even where that fails."""
    if out is None:
        return
    ranker.save(out)
    if not as_json:
        env.note(f"weights written to '{out}'")


def note_flaws(env: Environment, read: int, flaws: Sequence[Flaw]) -> None:
    """List the first of what teaches nothing, and say how many there are."""
    if not flaws:
        return
    places = len({each.place for each in flaws})
    env.note(f"{places} of {counted(read, 'question')} cannot be learned from, wholly or in part:")
    for each in flaws[:_LISTED]:
        env.note(f"  {each}")
    if len(flaws) > _LISTED:
        env.note(f"  and {len(flaws) - _LISTED} more (--json lists all)")
