"""Read questions with known answers from JSON Lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, Final

from memspan.base.half_emoji import without_half_emoji
from memspan.errors import FormatError
from memspan.formats.questions import LabelledQuestion
from memspan.times import to_likely_micros, to_moment

__all__ = ["read_lines"]

_ACCEPTED: Final = '{"user": "...", "question": "...", "evidence": ["record id", ...], "now": "2024-05-01"}'
_LONGEST_LINE: Final = 1 << 20
_SHOWN: Final = 80


def read_lines(path: str | os.PathLike[str]) -> Iterator[LabelledQuestion]:
    """The question of each line that is not blank; `position` is its file and line.

    Raises:
        FormatError: a line is broken; names file, line, field, what came and what is accepted.
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        number = 0
        while line := file.readline(_LONGEST_LINE + 1):
            number += 1
            place = f"{os.fspath(path)}: line {number}"
            if len(line) > _LONGEST_LINE:
                raise FormatError(f"{place}: longer than {_LONGEST_LINE} bytes")
            if line.strip():
                yield _question(line, place)


def _question(line: bytes, place: str) -> LabelledQuestion:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{place}: not JSON ({error}); accepted: {_ACCEPTED}") from error
    if not isinstance(fields, dict):
        raise FormatError(f"{place}: got {_shown(fields)}; accepted: {_ACCEPTED}")
    user, text, evidence = fields.get("user"), fields.get("question"), fields.get("evidence")
    if not isinstance(user, str) or not user:
        raise _refused(place, "user", fields, "the name of a user of the store")
    if not isinstance(text, str) or not text.strip():
        raise _refused(place, "question", fields, "text that is not blank")
    if not isinstance(evidence, list) or not evidence or not all(isinstance(each, str) for each in evidence):
        raise _refused(place, "evidence", fields, "a list of one or more ids of records")
    now = fields.get("now")
    try:
        if now is not None:
            to_likely_micros(now, "now")
        moment = None if now is None else to_moment(now, "now")
    except ValueError as error:
        raise FormatError(f"{place}: {error}") from error
    return LabelledQuestion(
        user=without_half_emoji(user),
        id=place,
        text=without_half_emoji(text),
        category="own",
        position=place,
        evidence=frozenset(map(without_half_emoji, evidence)),
        now=moment,
    )


def _refused(place: str, field: str, fields: dict[str, Any], accepted: str) -> FormatError:
    got = _shown(fields[field]) if field in fields else "nothing"
    return FormatError(f"{place}: {field}: got {got}; accepted: {accepted}")


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
