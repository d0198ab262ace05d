"""Questions with known answers about a store of one's own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from memspan.errors import FormatError
from memspan.formats.questions import LabelledQuestion
from memspan.times import from_micros, to_micros

from .examples import AdapterOf, Example, example_of

if TYPE_CHECKING:
    from memspan.memory import Memory

__all__ = ["collect_own"]

_ACCEPTED: Final = '{"user": "...", "question": "...", "evidence": ["record id", ...], "now": "2024-05-01"}'
_NAME: Final = "own"
_LONGEST_LINE: Final = 1 << 20


def collect_own(
    memory: Memory, path: str | os.PathLike[str], adapter_of: AdapterOf | None = None
) -> list[Example]:
    """The questions of a JSON Lines file about this memory, with the features of their candidates.

    Each line is an object with `user`, `question`, `evidence` (ids of the records that answer it) and optionally
    `now`. `adapter_of` as for `collect`, the data set being "own".
    Each user counts as a conversation of its own when weights are cross-validated.

    Raises:
        FormatError: a line is broken; names file and line.
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        return [
            example_of(
                memory, question, _NAME, None if adapter_of is None else adapter_of(_NAME, question.user)
            )
            for question in _read(file, str(path))
        ]


def _read(file: Any, name: str) -> Iterator[LabelledQuestion]:
    number = 0
    while line := file.readline(_LONGEST_LINE + 1):
        number += 1
        place = f"{name}: line {number}"
        if len(line) > _LONGEST_LINE:
            raise FormatError(f"{place}: longer than {_LONGEST_LINE} bytes")
        if line.strip():
            yield _question(line, place)


def _question(line: bytes, place: str) -> LabelledQuestion:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{place}: not JSON ({error}); accepted: {_ACCEPTED}") from error
    fields: dict[str, Any] = value if isinstance(value, dict) else {}
    user, question, evidence = fields.get("user"), fields.get("question"), fields.get("evidence")
    texts = isinstance(user, str) and user and isinstance(question, str) and question.strip()
    listed = isinstance(evidence, list) and evidence and all(isinstance(each, str) for each in evidence)
    if not texts or not listed:
        raise FormatError(f"{place}: {str(value)[:80]!r}; accepted: {_ACCEPTED}")
    now = fields.get("now")
    try:
        moment = None if now is None else from_micros(to_micros(now, "now"))
    except ValueError as error:
        raise FormatError(f"{place}: {error}") from error
    return LabelledQuestion(
        user=str(user),
        id=place,
        text=str(question),
        category="own",
        position=place,
        evidence=frozenset(evidence or ()),
        now=moment,
    )
