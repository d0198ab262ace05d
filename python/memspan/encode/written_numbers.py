"""Numbers by which a model names turns and memories, where it wrote them into a text: "3", "turns 1-4", "[#4]"."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["written_numbers"]

_REMARK: Final = re.compile(r"(?<=[\d\]])\s*\([^()]*\)")
_DATE: Final = re.compile(
    r"(?<!\d)(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?!\d)(?:[T ]\d\d?:[\d:.]+)?"
)
_CLOCK: Final = re.compile(r"(?<!\d)\d\d?:\d\d(?::\d\d)?(?!\d)")
_TO: Final = re.compile(r"(?<=\d)\s+(?:to|through)\s+(?=[#\d])", re.IGNORECASE)
_ITEMS: Final = re.compile(r"[,;&|\n]|\b(?:and|or)\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(\d{1,9})\d*(?:\.\d+)?(?:\]?\s*[-\u2013\u2014]\s*\[?#?(\d{1,9})(?!\d))?")
_WORD: Final = re.compile(r"[^\W\d_]+")
_WIDEST: Final = 200
"""Numbers of a range; what is wider was hardly meant as one, and counts as its ends."""
_MOST: Final = 10_000
"""Numbers after which ranges are not written out any more."""


def written_numbers(text: str) -> list[int]:
    """The numbers that a text names, in its order.

    Of each item of a list the first one counts, so that what is said about a turn names no others ("3: she bought 2
    saws"); in one without other words behind it all do. A range is all of its numbers. Dates, times of day, and what
    stands in brackets behind a number name nothing. O(length).
    """
    plain = _TO.sub("-", _CLOCK.sub(" ", _DATE.sub(" ", _REMARK.sub(" ", text))))
    found: list[int] = []
    for item in _ITEMS.split(plain):
        _add(item, found)
    return found


def _add(item: str, found: list[int]) -> None:
    numbers = _NUMBER.finditer(item)
    match = next(numbers, None)
    if match is None:
        return
    words = list(_WORD.finditer(item))
    own = words[0][0].lower() if words and words[0].start() < match.start() else ""  # "turn"
    last_word = max((word.start() for word in words if word[0].lower() != own), default=-1)
    while match is not None:
        first, last = int(match[1]), int(match[2] or match[1])
        whole = first <= last < first + _WIDEST and len(found) < _MOST
        found += range(first, last + 1) if whole else dict.fromkeys((first, last))
        match = next(numbers, None) if last_word < match.end() else None
