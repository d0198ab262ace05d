"""What the papers themselves report, to stand beside a run of ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Published", "difference", "published"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One row of a paper's table, copied from it."""

    paper: str
    table: str
    data_set: str
    method: str
    model: str
    """The language model behind the method, by the paper's name for it."""
    judge: str | None
    """The model that judged; `None` where none did."""
    average: str | None
    """`macro` over categories or `micro` over questions, worked out from the table; `None` where it is not known."""
    figures: Mapping[str, float]
    """Shares in percent: `judge`, `f1`, `bleu_1` (the papers say F1 and mean several); else as they are named."""


@cache
def published(data_set: str) -> tuple[Published, ...]:
    """The rows about a data set; empty when no paper of ours reports it."""
    rows = json.loads(files(__package__).joinpath("published.json").read_text("utf-8"))
    return tuple(Published(**row) for row in rows if row["data_set"] == data_set)


def difference(row: Published, reader: str, judge: str | None) -> str:
    """Why a run with this reader and judge does not compare with a row; the same names still leave other prompts."""
    others = []
    if not _same(row.model, reader):
        others.append("model")
    if row.judge is not None and judge is not None and not _same(row.judge, judge):
        others.append("judge")
    return f"not comparable: other {' and '.join(others)}" if others else "other prompts"


def _same(ours: str, theirs: str) -> bool:
    return ours.casefold() == theirs.rpartition("/")[2].casefold()
