"""What must not change when several texts become one: their numbers and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from .values import Statement

__all__ = ["invented", "lost"]

_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_WORD: Final = re.compile(r"\w+")


def lost(parts: Sequence[Statement], text: str) -> list[str]:
    """Numbers and entities of the parts that a text does not have, sorted; O(characters).

    Numbers count without leading zeros and commas ("05" is 5). An entity is there when all its words are.
    """
    words = set(_WORD.findall(text.casefold()))
    names = {name for part in parts for name in part.entities}
    gone = {name for name in names if not words.issuperset(_WORD.findall(name.casefold()))}
    return sorted(gone | (_numbers(part.text for part in parts) - _numbers([text])))


def invented(parts: Sequence[Statement], text: str) -> list[str]:
    """Numbers of a text that none of its parts has, sorted."""
    return sorted(_numbers([text]) - _numbers(part.text for part in parts))


def _numbers(texts: Iterable[str]) -> set[str]:
    return {found.replace(",", "").lstrip("0") or "0" for text in texts for found in _NUMBER.findall(text)}
