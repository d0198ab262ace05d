"""A text as the words between its marks, for finding phrases and names."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from memspan.recall.marks import MARKS, normalized

__all__ = ["UNSPACED", "Word", "WordReader", "is_unspaced", "singular"]

# Letters and digits with inner apostrophes, full stops of abbreviations left out; scripts without spaces one character
# at a time, with its marks: what belongs together there, only statistics can say.
UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
)
_SIGNS: Final = rf"[^\W_{UNSPACED}]+(?:[{MARKS}]+[^\W_{UNSPACED}]*)*"
# Vowels of Thai and Lao that are no marks; some are written before the consonant that they follow.
_AHEAD: Final = "\u0e40-\u0e44\u0ec0-\u0ec4"
_BEHIND: Final = "\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3"
_UNSPACED_SIGN: Final = rf"[{_AHEAD}]?[{UNSPACED}][{MARKS}{_BEHIND}]*"
_TOKEN: Final = re.compile(rf"{_UNSPACED_SIGN}|{_SIGNS}(?:['’][^\W_]+)*")
_ONE_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_SENTENCE: Final = re.compile(r"[^\w\s,'’/&-]")
_SHORTEST_PLURAL: Final = 4


class Word(NamedTuple):
    """One word of a text."""

    text: str
    """As it stands there."""
    folded: str
    """In lower case, with straight apostrophes."""
    key: str
    """The folded word in the singular."""
    joined: bool
    """Nothing but a blank or hyphen is between it and the word before."""
    starts: bool
    """It is the first of a sentence, a line or a quotation."""
    unspaced: bool
    """One character of a script that writes no spaces, with its marks."""


class WordReader:
    """Reads the texts of one user. Words that are alike in everything are the same object: of a long conversation
    only the references take memory."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bool, bool], Word] = {}

    def read(self, text: str) -> list[Word]:
        """The words of a text in their order, accents as one sign with their letter. O(n)."""
        text = normalized("NFC", text)
        words = []
        end = 0
        known = self._known
        for match in _TOKEN.finditer(text):
            gap = text[end : match.start()]
            if gap == " ":
                joined, starts = end > 0, end == 0
            else:
                joined = end > 0 and gap in ("", "-")
                starts = end == 0 or "\n" in gap or _SENTENCE.search(gap) is not None
            token = match.group()
            word = known.get((token, joined, starts))
            if word is None:
                word = known[token, joined, starts] = _word(token, joined, starts)
            words.append(word)
            end = match.end()
        return words


def _word(token: str, joined: bool, starts: bool) -> Word:
    folded = token.casefold().replace("’", "'")
    return Word(token, folded, singular(folded), joined, starts, is_unspaced(token))


def is_unspaced(word: str) -> bool:
    """Whether it is a character of a script that writes no spaces, with its marks."""
    return _ONE_UNSPACED.match(word) is not None


def singular(word: str) -> str:
    """An English word without the ending of a plural or genitive: a key under which forms are joined, and not always
    a word."""
    if word.endswith("'s"):
        word = word[:-2]
    if len(word) < _SHORTEST_PLURAL or not word.isascii():
        return word
    if word.endswith("ie"):
        return word[:-2] + "y"  # "movie", so that it is where "movies" goes
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > _SHORTEST_PLURAL:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]
