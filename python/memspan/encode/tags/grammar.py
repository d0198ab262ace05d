"""Which words of a user's texts are nouns, by the words around them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from memspan import _core

from .wordlists import COPULAS, DETERMINERS, NOUN_MARKERS, VERB_MARKERS
from .words import Word

__all__ = ["Grammar"]

_LEAST_NOUN: Final = 0.5
"""In what share of the places that say something a noun has to look like one."""
_MODIFIER: Final = 0.3
"""What a place before a noun counts against a word: "the camping trip" says little about "camping"."""
_UNLIKELY: Final = ("ed", "ly", "ing", "ful", "ous", "ive", "able")
"""Endings of words that need to be seen as nouns once more than otherwise."""
_SHORT: Final = 5


class Grammar:
    """Counts in how many places a word looks like a noun, and in how many like something else.

    English only: of words that stand beside no English function word nothing is known, and so they may be nouns.
    """

    def __init__(self, texts: Sequence[Sequence[Word]]) -> None:
        self._noun: dict[str, float] = defaultdict(float)
        self._other: dict[str, float] = defaultdict(float)
        self._functions: dict[str, bool] = {}
        for words in texts:
            self._read(words)

    def is_noun(self, key: str) -> bool:
        """Whether a word, folded and in the singular, is a noun more often than not."""
        noun, other = self._noun.get(key, 0.0), self._other.get(key, 0.0)
        if key.endswith(_UNLIKELY) and len(key) > _SHORT:
            other += 1
        return noun + other == 0 or noun / (noun + other) >= _LEAST_NOUN

    def _read(self, words: Sequence[Word]) -> None:
        marker = ""  # the function word before the run of content words
        for i, word in enumerate(words):
            if not word.joined:
                marker = ""
            if self._is_function(word.folded):
                marker = word.folded
                continue
            key = word.key
            before = words[i - 1].folded if word.joined else ""
            after = words[i + 1].folded if i + 1 < len(words) and words[i + 1].joined else ""
            last = not after or self._is_function(after)
            if before in VERB_MARKERS or after in DETERMINERS or (last and before in COPULAS):
                self._other[key] += 1
            elif marker in NOUN_MARKERS:
                if last:
                    self._noun[key] += 1
                else:
                    self._other[key] += _MODIFIER

    def _is_function(self, folded: str) -> bool:
        known = self._functions.get(folded)
        if known is None:
            known = folded in NOUN_MARKERS or folded in VERB_MARKERS or folded in COPULAS
            known = known or not _core.analyze(folded, "english")
            self._functions[folded] = known
        return known
