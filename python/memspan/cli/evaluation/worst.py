"""The questions of an evaluation whose evidence came last, with what came instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.text import Text

from memspan.cli.environment import Environment
from memspan.cli.tables import cell, moment, plain_table
from memspan.evaluate import Answered, Evaluation
from memspan.memory import Memory
from memspan.remember.compose import shown_text

__all__ = ["print_worst", "worst_json"]

_SHOWN = 5
"""Records shown of those that came back."""

_WIDE = 80
"""From this many columns on a turn's values stand side by side; with fewer, its text would stand in single words."""

_LENGTH = 240
"""Characters shown of a text."""


def print_worst(env: Environment, evaluation: Evaluation, count: int) -> None:
    """A table for each question: first its evidence, then the records that came first."""
    env.say("")
    wide = env.out.width >= _WIDE
    for document in worst_json(evaluation, count):
        env.say(f"{document['id']} [{document['category']}] {document['question']}", style="bold")
        table = plain_table()
        table.add_column("rank", justify="right", no_wrap=True)
        for name in ("", "at (UTC)", "id", "speaker") if wide else ("turn (UTC)",):
            texts = name in ("id", "speaker", "turn (UTC)")
            table.add_column(name, overflow="fold" if texts else "ellipsis", no_wrap=not texts)
        table.add_column("text", ratio=1, overflow="fold")
        for kind in ("evidence", "found"):
            for row in document[kind]:
                rank = f"#{row['rank']}" if row["rank"] else f"> {evaluation.ks[-1]}"
                style = "bold green" if kind == "evidence" else "dim"
                turn = [Text(kind, style=style), *(cell(row[name]) for name in ("at", "id", "speaker"))]
                if not wide:
                    turn = [Text("\n").join(line for line in turn if line)]
                table.add_row(cell(rank), *turn, cell(_line(row["text"])))
        env.out.print(table)


def _line(text: str) -> str:
    """The start of a text, without its line breaks."""
    line = " ".join(text.split())
    return line if len(line) <= _LENGTH else line[: _LENGTH - 1] + "…"


def worst_json(evaluation: Evaluation, count: int) -> list[dict[str, Any]]:
    """The questions with the texts of their evidence and of the records that came first."""
    with ExitStack() as stack:
        memories: dict[Path, Memory] = {}
        documents = []
        for each in evaluation.worst(count):
            if each.store not in memories:  # texts are read only, which needs no model
                memories[each.store] = stack.enter_context(Memory(each.store, auto_consolidate=False))
            documents.append(_document(memories[each.store], each))
        return documents


def _document(memory: Memory, each: Answered) -> dict[str, Any]:
    first = enumerate(each.retrieved[:_SHOWN], 1)
    return {
        "id": each.question.id,
        "category": each.question.category,
        "question": each.question.text,
        "evidence": list(_evidence(memory, each)),
        "found": [_row(memory, each, id_, rank) for rank, id_ in first],
    }


def _evidence(memory: Memory, each: Answered) -> Iterator[dict[str, Any]]:
    for id_, rank in each.ranks.items():
        if each.unit == "turn":
            yield _row(memory, each, id_, rank)
        else:
            yield {"rank": rank, "id": id_, "at": "", "speaker": "", "text": "(the session)"}


def _row(memory: Memory, each: Answered, id_: str, rank: int | None) -> dict[str, Any]:
    record = memory.get(user=each.question.user, id=id_)
    if record is None:  # another process erased it since
        return {"rank": rank, "id": id_, "at": "", "speaker": "", "text": ""}
    return {
        "rank": rank,
        "id": id_,
        "at": moment(record.at),
        "speaker": record.speaker or "",
        "text": shown_text(record),
    }
