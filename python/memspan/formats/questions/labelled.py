"""The question of a data set, and what its labels say about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

from ..format import Request
from ..source import Item
from ..turns import Turn

__all__ = ["DataSet", "LabelledFile", "LabelledQuestion", "Turns", "Unit"]

Turns: TypeAlias = Mapping[str, Mapping[str, Turn]]
"""The turns of a file by user and record id, both in the order of the file."""

Unit: TypeAlias = Literal["turn", "session"]
"""What the labels of a data set point at, and what is scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """A question about one user's memory, and where its answer stands."""

    user: str
    """Whose memory is asked."""
    id: str
    """Unique within the file."""
    text: str
    category: str
    """The data set's own name for the kind of question."""
    position: str
    """Where it stands, as `file: path inside the JSON`."""
    answerable: bool = True
    """Whether the memory holds an answer. Questions without one (adversarial, abstention) are never scored for
    recall."""
    evidence: frozenset[str] = frozenset()
    """Ids of the records that hold the answer; empty when the labels name none, or name none by record."""
    outdated: frozenset[str] = frozenset()
    """Of the evidence: records whose information a later part of the evidence replaced; empty when the labels do not
    say."""
    answer: str | None = None
    """What a right answer says, as the labels put it; `None` when they give none."""
    sessions: frozenset[str] = frozenset()
    """The sessions that hold the answer."""
    points: tuple[str, ...] = ()
    """What the conversation says about it, in the words of the labels; empty when they name turns only."""
    missing: tuple[str, ...] = ()
    """Labels that name nothing in the conversation."""
    now: datetime | None = None
    """When it is asked; `None` when the data set does not say."""
    until: datetime | None = None
    """Only what happened before may be found; `None`: everything."""


@dataclass(frozen=True, slots=True)
class LabelledFile:
    """The conversations of a file and the questions about them."""

    path: Path
    data_set: DataSet
    turns: Turns
    questions: tuple[LabelledQuestion, ...]


@dataclass(frozen=True, slots=True)
class DataSet:
    """How the questions of a data set are read and scored."""

    name: str
    """That of its format in `FORMATS`."""
    unit: Unit
    categories: tuple[str, ...]
    """Their names in the order of the data set's numbers; empty when it has names of its own."""
    read: Callable[[Iterable[Item], Request, Turns], Iterator[LabelledQuestion]]
    """Reads the questions from the values of a file whose turns are known; raises only `FormatError`."""
    user_of: Callable[[Path], str | None] = lambda path: None
    """The user of a file that does not say, by its path: who measures wants some name for everybody."""
