"""Moments that name their zone, as logs have them: "2023-05-03T22:00:00Z"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import tzinfo
from typing import Final

from memspan.errors import TimeError
from memspan.times import in_zone, to_moment

from .lexicon import Token

__all__ = ["move_days"]

_MOMENT: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)(?![\d:])"
)


def move_days(tokens: Iterable[Token], text: str, zone: tzinfo) -> None:
    """Let dates with an hour and a zone be the day that it was in `zone` then."""
    for token in tokens:
        match = _MOMENT.match(text, token.start) if token.kind == "date" else None
        if match is None:
            continue
        try:
            moment = in_zone(to_moment(match.group().upper()), zone)
        except TimeError:  # no such hour
            continue
        token.value = (moment.year, moment.month, moment.day)
