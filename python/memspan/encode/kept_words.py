"""What must not change when several texts become one: their numbers and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from memspan import _core
from memspan.recall.negations import negations_in

from .values import Statement

__all__ = ["invented", "lost", "names_in", "numbers_in"]

_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d+")
_WORD: Final = re.compile(r"\w+")
_FIRST_OF_EAST_ASIA: Final = 0x2E80
_NEGATIONS: Final = frozenset(
    _core.analyze("no not never nothing nobody nowhere neither nor none without", "english")
)
_WEAK: Final = frozenset(
    _core.analyze("want like love prefer enjoy need also really say said get got would now too", "english")
)


def lost(parts: Sequence[Statement], text: str, coverage: float) -> list[str]:
    """What the parts say and a text does not, sorted; O(characters).

    Every number must be there (without leading zeros and commas: "05" is 5), every entity, with all its words, and
    every negation, in whatever language. Of the other words of a part, by their stems and without those that say next
    to nothing, such as "wants", the share `coverage` must be there; else those that are not count as lost.
    """
    names = {name for part in parts for name in part.entities}
    gone = names - names_in(names, text)
    gone |= numbers_in(part.text for part in parts) - numbers_in([text])
    denied = negations_in(text, english=False)
    terms = set(_core.analyze(text, "english"))
    for part in parts:
        gone |= negations_in(part.text, english=False) - denied
        named = {term for name in part.entities for term in _core.analyze(name, "english")}
        content = set(_core.analyze(part.text, "english")) - named - _WEAK
        missing = {term for term in content - terms if not term.isdigit()}
        if missing & _NEGATIONS or len(missing) > (1 - coverage) * len(content):
            gone |= missing
    return sorted(gone)


def names_in(names: Iterable[str], text: str) -> set[str]:
    """The names whose words are all in a text; without spaces between words, as in Chinese, those that it contains."""
    text = text.casefold()
    words = set(_WORD.findall(text))
    return {
        name
        for name in names
        if words.issuperset(_WORD.findall(name.casefold()))
        or (name.casefold() in text and ord(max(name)) >= _FIRST_OF_EAST_ASIA)
    }


def invented(parts: Sequence[Statement], text: str) -> list[str]:
    """Numbers of a text that none of its parts has, sorted."""
    return sorted(numbers_in([text]) - numbers_in(part.text for part in parts))


def numbers_in(texts: Iterable[str]) -> set[str]:
    """The numbers that stand in texts as digits, without leading zeros and commas."""
    return {found.replace(",", "").lstrip("0") or "0" for text in texts for found in _NUMBER.findall(text)}
