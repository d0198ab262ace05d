"""Texts that say the same."""

from __future__ import annotations

from collections.abc import Iterator
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
    """Whether the same speaker said the same words, but for capitals and punctuation that makes no question of them,
    or all of the shorter text's words in their order with at most a tenth of the longer one's beside them, none of
    those a negation or with a digit or another sign.

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
        self._by_speaker: dict[str | None, _Spoken] = {}

    def add(self, wording: Wording, key: int) -> None:
        words = wording.words
        spoken = self._by_speaker.setdefault(wording.speaker, _Spoken())
        spoken.equal[words] = min(key, spoken.equal.get(words, key))
        if len(words) < _FEWEST:
            return
        holding = {word: spoken.holding.setdefault(word, []) for word in words}
        rarest = min(holding, key=lambda word: len(holding[word]))
        spoken.filed.setdefault(rarest, []).append((wording, key))
        for known in holding.values():
            known.append((wording, key))

    def find(self, wording: Wording) -> int | None:
        """The smallest key of those that say the same."""
        words = wording.words
        spoken = self._by_speaker.get(wording.speaker)
        if spoken is None or not words:
            return None
        found = [spoken.equal[words]] if words in spoken.equal else []
        if len(words) >= _FEWEST:
            size = len(words)
            sizes = range(size - int(_EXTRA * size), int(size / (1 - _EXTRA)) + 1)
            found += (
                key
                for known, key in spoken.near(set(words))
                if len(known.words) in sizes and says_the_same(known, wording)
            )
        return min(found, default=None)


class _Spoken:
    """The wordings of one speaker."""

    def __init__(self) -> None:
        self.equal: dict[tuple[str, ...], int] = {}
        """The smallest key by all words."""
        self.holding: dict[str, list[tuple[Wording, int]]] = {}
        """By each word."""
        self.filed: dict[str, list[tuple[Wording, int]]] = {}
        """By that word alone which the fewest had when it came."""

    def near(self, words: set[str]) -> Iterator[tuple[Wording, int]]:
        """Those that may have all of these words, and those of which these may have all."""
        if words <= self.holding.keys():
            yield from min((self.holding[word] for word in words), key=len)
        for word in self.filed.keys() & words:
            yield from self.filed[word]
