"""Texts that say the same."""

from __future__ import annotations

from typing import Final

from memspan.recall.negations import NEGATIONS
from memspan.recall.said_words import said_words
from memspan.recall.vocabulary import fold
from memspan.recall.words import word_set

__all__ = ["Wording", "Wordings", "says_the_same"]

_EXTRA: Final = 0.1
"""The share of the longer one's words that the shorter one may lack."""
_FEWEST: Final = 9
"""Of fewer words, texts say the same only when all are equal: a tenth of the longer one is less than a word."""
_LONG: Final = 20_000
"""Texts of more characters say the same only when they are equal."""
# No small difference, as negations are none. The last letter is what is left of "n't".
_TURNS: Final = NEGATIONS | word_set("almost nearly t")


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
            self._words = (self._text,) if long else said_words(self._text)
        return self._words


def says_the_same(one: Wording, other: Wording) -> bool:
    """Whether the same speaker said the same words, but for punctuation and capitals, or all of the shorter text's
    words in their order with at most a tenth of the longer one's beside them, none of those a negation or with a
    digit or another sign.

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
        elif left == 0 or not word.isalpha() or fold(word) in _TURNS:
            return False
        else:
            left -= 1
    return place == len(short)


class Wordings:
    """Wordings under keys, for finding what says the same as another one without a look at all of them: of two that do,
    one has all words of the other. O(words) to add one; to find one, what shares its rarest words, too.
    """

    def __init__(self) -> None:
        self._equal: dict[tuple[str | None, tuple[str, ...]], int] = {}
        self._holding: dict[tuple[str | None, str], list[tuple[Wording, int]]] = {}
        """By each word."""
        self._filed: dict[tuple[str | None, str], list[tuple[Wording, int]]] = {}
        """By that word alone which the fewest had when it came."""

    def add(self, wording: Wording, key: int) -> None:
        speaker, words = wording.speaker, wording.words
        self._equal[speaker, words] = min(key, self._equal.get((speaker, words), key))
        if len(words) < _FEWEST:
            return
        holding = {word: self._holding.setdefault((speaker, word), []) for word in words}
        rarest = min(holding, key=lambda word: len(holding[word]))
        self._filed.setdefault((speaker, rarest), []).append((wording, key))
        for known in holding.values():
            known.append((wording, key))

    def find(self, wording: Wording) -> int | None:
        """The smallest key of those that say the same."""
        speaker, words = wording.speaker, wording.words
        equal = self._equal.get((speaker, words)) if words else None
        found = [] if equal is None else [equal]
        if len(words) >= _FEWEST:
            size = len(words)
            sizes = range(size - int(_EXTRA * size), int(size / (1 - _EXTRA)) + 1)
            longer = min((self._holding.get((speaker, word), []) for word in set(words)), key=len)
            shorter = (self._filed.get((speaker, word), []) for word in set(words))
            found += (
                key
                for near in (longer, *shorter)
                for known, key in near
                if len(known.words) in sizes and says_the_same(known, wording)
            )
        return min(found, default=None)
