"""Names in the cases of Polish and Russian: "с Марией", "o Tomaszu"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from .times.guess import guess_languages
from .times.languages import LANGUAGES

__all__ = ["Cases", "case_forms", "cases_in"]

Cases: TypeAlias = Literal["", "pl", "ru"]
"""The language whose names have cases; empty for the others."""

_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
_POLISH_LETTERS: Final = re.compile(r"\b[^\W\d_]*[ąęłńśźż][^\W\d_]*")
_POLISH_WORDS: Final = re.compile(r"\b(?:co|czy|gdzie|jak|jest|kiedy|kto|nie|z|ze)\b", re.IGNORECASE)

# As `fold` leaves words, which has no й and no ą. The longest endings first.
_ENDINGS: Final = {
    "ru": ("ою", "ею", "ои", "еи", "ом", "ем", "ым", "а", "у", "е", "ы", "и", "ю", "я"),
    "pl": ("owi", "iem", "em", "ie", "a", "e", "i", "o", "u", "y"),
}
_NOMINATIVES: Final = {"ru": ("", "а", "я", "ь", "и"), "pl": ("", "a", "ia")}
_FLEETING: Final = {"ru": "е", "pl": "e"}
"""The vowel that "Павел" and "Marek" have in the nominative alone."""
_SOFTENED: Final = (("dzie", "da"), ("cie", "ta"), ("rze", "r"), ("rze", "ra"), ("dze", "ga"), ("ce", "ka"))
"""Endings before which a consonant changes: "Magdzie", "Piotrze", "Monice"."""
_SHORTEST: Final = 2


def cases_in(text: str) -> Cases:
    """The language of a text, if its names have cases. O(words looked at)."""
    if not text.isascii() and _CYRILLIC.search(text) is not None:
        return "ru"
    written = [] if text.isascii() else _POLISH_LETTERS.findall(text)
    if any(map(str.islower, written)):
        return "pl"  # a name may bring such a letter into any language
    if not written and _POLISH_WORDS.search(text) is None:
        return ""
    return "pl" if guess_languages(text, LANGUAGES) == ["pl"] else ""


def case_forms(word: str, cases: Cases) -> Iterator[str]:
    """The nominatives that a folded word may be a case of; most are no words."""
    if not cases:
        return
    for ending, nominative in _SOFTENED if cases == "pl" else ():
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            yield word.removesuffix(ending) + nominative
    for ending in _ENDINGS[cases]:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            stem = word.removesuffix(ending)
            yield from (stem + nominative for nominative in _NOMINATIVES[cases])
            yield stem[:-1] + _FLEETING[cases] + stem[-1]
