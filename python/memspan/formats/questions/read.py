"""The way in: the conversations of a file together with the questions about them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ...errors import FormatError, invalid
from ..detect import FORMATS
from ..format import Request
from ..read import read_turns
from ..source import json_values, open_source
from ..turns import Turn
from .beam import BEAM
from .halumem import HALUMEM
from .labelled import DataSet, LabelledFile
from .locomo import LOCOMO
from .longmemeval import LONGMEMEVAL
from .realtalk import REALTALK

__all__ = ["DATA_SETS", "read_labelled"]

DATA_SETS: Final[Mapping[str, DataSet]] = MappingProxyType(
    {each.name: each for each in (LOCOMO, REALTALK, BEAM, LONGMEMEVAL, HALUMEM)}
)
"""Every data set whose questions can be read, by name."""


def read_labelled(path: str | os.PathLike[str], data_set: str) -> LabelledFile:
    """Read a file of a data set: its turns, as `read_turns` gives them, and its questions.

    Raises:
        InvalidArgumentError: `data_set` is none of `DATA_SETS`.
        FormatError: the file is damaged or of another layout (file, path inside it, what is accepted), or
            holds no turns or no questions.
    """
    if data_set not in DATA_SETS:
        raise invalid("data_set", data_set, ", ".join(DATA_SETS))
    known, path = DATA_SETS[data_set], Path(path)
    if path.is_fifo():
        raise FormatError(
            f"{path}: a pipe, which is read once; accepted: a file, whose turns and questions are read"
        )
    turns: dict[str, dict[str, Turn]] = {}
    for turn in read_turns(path, format=data_set, user=known.user_of(path)):
        if turn.id is not None:
            turns.setdefault(turn.user, {})[turn.id] = turn
    if not turns:
        raise FormatError(f"{path}: holds no turns; accepted: {FORMATS[data_set].summary} with one at least")
    with open_source(path) as reader:
        items = json_values(reader, str(path))
        questions = tuple(known.read(items, Request(str(path), path, None), turns))
    if not questions:
        raise FormatError(f"{path}: holds no questions; accepted: a file of {data_set} with one at least")
    for question in questions:  # some are about a conversation in which nothing was said
        turns.setdefault(question.user, {})
    return LabelledFile(path, known, turns, questions)
