"""What becomes of words of time where they are typed in haste, or without accents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memspan.recall.vocabulary import fold

__all__ = ["hasty", "plainer"]

_VOWELS: Final = "aeiou"
_LONG: Final = 7
"""Letters of a word that may have a wrong vowel or a letter too many as well: with fewer it may be another one."""
_SHORTEST_PLAIN: Final = 4
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def hasty(word: str) -> set[str]:
    """A long word with two letters exchanged or one left out, and from 7 letters on with one doubled or another vowel;
    the first and the last letter stay."""
    last = len(word) - 1
    slips = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, last - 1)}
    slips |= {word[:at] + word[at + 1 :] for at in range(1, last)}
    if len(word) >= _LONG:
        slips |= {word[:at] + word[at] + word[at:] for at in range(1, last)}
        slips |= {
            word[:at] + vowel + word[at + 1 :]
            for at in range(1, last)
            if word[at] in _VOWELS
            for vowel in _VOWELS
        }
    return slips - {word}


def plainer(spelling: str) -> Iterator[str]:
    """The same as keyboards without accents have it: "miercoles", "maerz"; not of words of 3 letters ("été", "ete")."""
    if spelling.isascii() or len(spelling) < _SHORTEST_PLAIN:
        return
    yield fold(spelling)
    spelled = spelling.translate(_UMLAUTS)
    if spelled != spelling:
        yield spelled
