"""The signs of a text as its readers see them: a letter with the marks on it is one."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from memspan.recall.marks import MARKS

__all__ = ["first_signs", "signs_of"]

# Vowels of Thai and Lao, voiced kana of half width, what follows the first part of a Korean syllable, selectors and
# colours of emoji; they are no marks by their category, or stand where `MARKS` does not look.
_ADDED: Final = (
    "\u0e33\u0eb3\uff9e\uff9f\u1160-\u11ff\ud7b0-\ud7fb\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff"
)
_JOINERS: Final = "".join(mark for mark in MARKS if unicodedata.combining(mark) == 9)  # of two consonants
_FLAG: Final = "[\U0001f1e6-\U0001f1ff]{2}"
_PICTURES: Final = "\u2190-\u2bff\U0001f000-\U0001faff"
# Not without end: a text may be nothing but marks, and still has to be cut somewhere.
_SIGN: Final = re.compile(
    rf"(?:{_FLAG}|.)(?:\u200d[{_PICTURES}]|[{_JOINERS}]\u200d?[^\W\d_]|[{MARKS}{_ADDED}]){{0,15}}", re.DOTALL
)


def signs_of(text: str) -> list[str]:
    """The text in pieces that must not be cut: letters with their marks, pairs of consonants that are written as one,
    families and flags of emoji; the essence of Unicode's grapheme clusters. O(n)."""
    return list(text) if text.isascii() else _SIGN.findall(text)


def first_signs(text: str, most: int) -> str:
    """As many of the first signs as have at most so many characters together."""
    if len(text) <= most or text.isascii():
        return text[:most]
    end = 0
    for sign in _SIGN.finditer(text):
        if sign.end() > most:
            break
        end = sign.end()
    return text[:end]
