"""What a search found, as a table for people and as plain values for `--json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from memspan.records import Record
from memspan.remember.searching.recall import Recall

from .tables import cell, moment, plain_table

__all__ = ["print_recalls", "recall_json"]

_VIEWS = ("semantic", "lexical", "symbolic")
_WIDE = 110
"""From this many columns on every value has a column of its own."""

_MIDDLE = 60
"""From this many on scores have one beside the text; with fewer, the text would stand in single words."""

_LONG = 2_000
"""Characters of a text on a terminal: what a tool returned may go on for thousands of lines."""

Marks = Sequence[Text]


def print_recalls(
    out: Console, recalls: Sequence[Recall], *, scores: bool, marks: Marks | None = None
) -> None:
    """A row for each hit.

    With `scores`, its fused score and its rank and score in every view; with `marks`, a word on it.
    """
    if out.width >= _WIDE:
        out.print(_wide_table(out, recalls, scores, marks))
    else:
        out.print(_narrow_table(out, recalls, scores, marks))


def _wide_table(out: Console, recalls: Sequence[Recall], scores: bool, marks: Marks | None) -> Table:
    views = [view for view in _VIEWS if any(view in recall.views for recall in recalls)] if scores else []
    table = plain_table()
    table.add_column("#", justify="right")
    if marks is not None:
        table.add_column("", no_wrap=True)
    table.add_column("at (UTC)", no_wrap=True)
    table.add_column("id", overflow="fold")
    table.add_column("speaker", overflow="fold")
    table.add_column("text", ratio=1, overflow="fold")
    if scores:
        table.add_column("score", justify="right", no_wrap=True)
    for view in views:
        table.add_column(view, justify="right", no_wrap=True)
    for rank, recall in enumerate(recalls, 1):
        row = [cell(rank)] if marks is None else [cell(rank), marks[rank - 1]]
        row += map(
            cell, (moment(recall.at), recall.id, recall.record.speaker or "", _shown(out, recall.text))
        )
        if scores:
            row.append(cell(f"{recall.score:.4f}"))
        table.add_row(*row, *(_view_cell(recall.views, view) for view in views))
    return table


def _narrow_table(out: Console, recalls: Sequence[Recall], scores: bool, marks: Marks | None) -> Table:
    """The same values stacked in few columns, which leaves the text room on a terminal of 80."""
    beside = out.width >= _MIDDLE
    table = plain_table()
    table.add_column("#", justify="right")
    table.add_column("turn (UTC)", overflow="fold", max_width=24)
    table.add_column("text", ratio=1, overflow="fold")
    if scores and beside:
        table.add_column("score", no_wrap=True)
    for rank, recall in enumerate(recalls, 1):
        lines = [cell(moment(recall.at)), cell(recall.id), cell(recall.record.speaker or "")]
        if marks is not None:
            lines.append(marks[rank - 1])
        said = [cell(f"{recall.score:.4f}"), *_view_lines(recall)] if scores else []
        columns = [lines, said] if beside else [lines + said]
        turn, *rest = map(_stacked, columns)
        table.add_row(cell(rank), turn, cell(_shown(out, recall.text)), *(rest if scores else ()))
    return table


def _shown(out: Console, text: str) -> str:
    if not out.is_terminal or len(text) <= _LONG:
        return text
    return f"{text[:_LONG].rstrip()}… ({len(text):,} characters; --json has them all)"


def _view_lines(recall: Recall) -> list[Text]:
    found = [view for view in _VIEWS if view in recall.views]
    return [Text(f"{view} ") + _view_cell(recall.views, view) for view in found]


def _stacked(lines: Sequence[Text]) -> Text:
    return Text("\n").join(line for line in lines if line)


def _view_cell(views: Mapping[str, tuple[int, float]], view: str) -> Text:
    """`#rank score` of a hit in one view, or a dash when it did not come by that view."""
    if view not in views:
        return Text("-", style="dim")
    rank, score = views[view]
    return Text(f"#{rank} {score:.3f}")


def recall_json(recalls: Iterable[Recall], *, scores: bool) -> list[dict[str, Any]]:
    """The same as plain values; `explanation` is there when it was asked for."""
    documents = []
    for rank, recall in enumerate(recalls, 1):
        document: dict[str, Any] = {"rank": rank, **_record_json(recall.record)}
        if scores:
            document["score"] = float(recall.score)
            document["views"] = {
                view: {"rank": int(place), "score": float(score)}
                for view, (place, score) in recall.views.items()
            }
        if recall.explanation is not None:
            document["explanation"] = recall.explanation
        documents.append(document)
    return documents


def _record_json(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "at": record.at,
        "until": record.until,
        "kind": record.kind,
        "session": record.session,
        "speaker": record.speaker,
        "text": record.text,
        "tags": list(record.tags),
        "metadata": dict(record.metadata),
    }
