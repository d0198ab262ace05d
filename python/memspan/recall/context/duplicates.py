"""Texts that say the same."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.words import word_set

__all__ = ["Wording", "says_the_same"]

_WORD: Final = re.compile(r"\w+")
_EXTRA: Final = 0.1
"""The share of the longer one's words that the shorter one may lack."""
# A word that turns a sentence round is no small difference.
_TURNS: Final = word_set(
    "no not never none nor t dont cannot without kein keine keinen nicht nie ne pas non jamais sin nunca niente mai "
    "não nunca sem нет не ни nie bez geen niet nooit zonder"
)


class Wording:
    """The words of a text, and who said it; immutable."""

    __slots__ = ("speaker", "words")

    def __init__(self, speaker: str | None, text: str) -> None:
        self.speaker = speaker
        self.words: tuple[str, ...] = tuple(_WORD.findall(text.casefold()))


def says_the_same(one: Wording, other: Wording) -> bool:
    """Whether the same speaker said the same words, but for signs and capitals, or all of the shorter text's words in
    their order with at most a tenth of the longer one's beside them, none of those a number or a negation.

    So the longer of two such texts says all that the shorter does. Symmetric, not transitive. O(words).
    """
    short, long = sorted((one.words, other.words), key=len)
    if one.speaker != other.speaker or len(long) - len(short) > _EXTRA * len(long):
        return False
    if not short:
        return False  # signs only: nothing to compare
    extra = []
    place = 0
    for word in long:
        if place < len(short) and word == short[place]:
            place += 1
        else:
            extra.append(word)
    return place == len(short) and not any(word in _TURNS or word.isnumeric() for word in extra)
