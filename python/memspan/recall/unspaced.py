"""Scripts that put no spaces between words: there a name is found by looking for it at every sign."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

__all__ = ["UNSPACED", "UnspacedWords"]

UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ece\u0edc-\u0edf"  # Lao
    "\u1000-\u103f\u1050-\u109f"  # Burmese
    "\u1780-\u17d3"  # Khmer
    "\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)
"""Their signs, for a class of a regular expression; marks are among them, digits and punctuation are not."""

_ONLY: Final = re.compile(f"[{UNSPACED}]+")
_SHORTEST: Final = 2
"""A single sign is a part of too many words."""
_LONGEST: Final = 40


class UnspacedWords:
    """The words of a vocabulary that are written in such scripts, found within text; immutable.

    Args:
        words: folded; those of other scripts, and of a single sign, are left out.
        fold: makes signs of a text comparable with them.
    """

    __slots__ = ("_fold", "_longest", "_words")

    def __init__(self, words: Iterable[str], fold: Callable[[str], str]) -> None:
        self._fold = fold
        self._words = frozenset(
            word for word in words if _SHORTEST <= len(word) <= _LONGEST and _ONLY.fullmatch(word)
        )
        self._longest: dict[str, int] = {}
        for word in self._words:
            self._longest[word[0]] = max(len(word), self._longest.get(word[0], 0))

    def cuts(self, text: str) -> list[int]:
        """Where text of such signs is cut so that each of the words in it stands by itself, 0 and the end included.

        From left to right the longest one counts. O(signs), times the length of the longest word with that beginning.
        """
        signs: list[str] = []
        places: list[int] = []
        for place, sign in enumerate(text):
            for part in self._fold(sign):  # none of a mark that folding drops
                signs.append(part)
                places.append(place)
        places.append(len(text))
        folded = "".join(signs)
        cuts = {0, len(text)}
        at = 0
        while at < len(folded):
            size = self._size(folded, at)
            if size:
                cuts |= {places[at], places[at + size]}
            at += size or 1
        return sorted(cuts)

    def _size(self, folded: str, at: int) -> int:
        """The length of the longest word that begins there; 0 if none does."""
        longest = self._longest.get(folded[at], 0)
        for size in range(min(longest, len(folded) - at), _SHORTEST - 1, -1):
            if folded[at : at + size] in self._words:
                return size
        return 0
