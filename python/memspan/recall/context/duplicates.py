"""Texts that say the same."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.words import word_set

__all__ = ["Wording", "Wordings", "says_the_same"]

_WORD: Final = re.compile(r"\w+")
_EXTRA: Final = 0.1
"""The share of the longer one's words that the shorter one may lack."""
_LONG: Final = 20_000
"""Texts of more characters say the same only when they are equal."""
# A word that turns a sentence round is no small difference.
_TURNS: Final = word_set(
    "no not never none nor t dont cannot without kein keine keinen nicht nie ne pas non jamais sin nunca niente mai "
    "não nunca sem нет не ни nie bez geen niet nooit zonder"
)


class Wording:
    """The words of a text, and who said it."""

    __slots__ = ("_text", "_words", "size", "speaker")

    def __init__(self, speaker: str | None, text: str) -> None:
        self.speaker: Final = speaker
        self.size: Final = len(text)
        self._text = text
        self._words: tuple[str, ...] | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Folded, found when they are first asked for; of a very long text only the text itself."""
        if self._words is None:
            long = self.size > _LONG
            self._words = (self._text,) if long else tuple(_WORD.findall(self._text.casefold()))
        return self._words


def says_the_same(one: Wording, other: Wording) -> bool:
    """Whether the same speaker said the same words, but for signs and capitals, or all of the shorter text's words in
    their order with at most a tenth of the longer one's beside them, none of those a number or a negation.

    So the longer of two such texts says all that the shorter does. Symmetric, not transitive. O(words).
    """
    if one.speaker != other.speaker:
        return False
    short, long = sorted((one.words, other.words), key=len)
    left = int(_EXTRA * len(long))
    if not short or len(long) - len(short) > left:
        return False  # without words there is nothing to compare
    place = 0
    for word in long:
        if place < len(short) and word == short[place]:
            place += 1
        elif left == 0 or word in _TURNS or word.isnumeric():
            return False
        else:
            left -= 1
    return place == len(short)


class Wordings:
    """Wordings under keys, for finding what says the same as another one among those of about as many words."""

    def __init__(self) -> None:
        self._by_size: dict[tuple[str | None, int], list[tuple[Wording, int]]] = {}

    def add(self, wording: Wording, key: int) -> None:
        self._by_size.setdefault((wording.speaker, len(wording.words)), []).append((wording, key))

    def find(self, wording: Wording) -> int | None:
        """The smallest key of those that say the same."""
        size = len(wording.words)
        sizes = range(size - int(_EXTRA * size), int(size / (1 - _EXTRA)) + 1)
        near = (known for each in sizes for known in self._by_size.get((wording.speaker, each), ()))
        return min((key for known, key in near if says_the_same(known, wording)), default=None)
