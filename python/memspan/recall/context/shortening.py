"""The part of a long text that answers a question best."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from memspan import _core

from .signs import signs_of
from .tokens import TokenCounter

__all__ = ["Shortener"]

_SENTENCE: Final = re.compile(r"(?<=[.!?…।॥؟۔])\s+|(?<=[。！？])")
_WORD: Final = re.compile(r"(?<=\s)")
_READ: Final = 200_000
"""Characters that are looked at."""
_ASKED: Final = 10_000
"""Characters of a question that are looked for, as many as a plan reads."""
_BEFORE: Final = 3
"""Words kept before the first one that the question has, too."""
_WINDOW: Final = 30
"""Words side by side among which as many of the question's as possible are looked for."""


class Shortener:
    """Cuts texts down to what is nearest to one question.

    Args:
        question: whose words are looked for.
        analyzer: how words are found, as the index does it.
        count: counts tokens.
    """

    def __init__(self, question: str, analyzer: str, count: TokenCounter) -> None:
        self._analyzer = analyzer
        self._count = count
        self._wanted = frozenset(_core.analyze(question[:_ASKED], analyzer))

    def shorten(self, text: str | Sequence[str], room: int) -> str:
        """Whole sentences around the one with most of the question's words, the first of equal ones, with `…` where
        something is missing; words, or signs, of a sentence that is too long, from where most of the question's
        stand together. At most `room` tokens; empty if nothing fits.

        Args:
            text: one line, or several that a space joins: a sentence ends with its line.
            room: tokens.
        """
        lines = [text] if isinstance(text, str) else text
        pieces, open_end = _pieces(lines)
        if not pieces:
            return ""
        best = max(range(len(pieces)), key=lambda i: (self._matches(pieces[i]), -i))
        kept = self._grown(pieces, best, " ", room, (False, open_end))
        if kept:
            return kept
        missing = (best > 0, open_end or best + 1 < len(pieces))
        words = _WORD.split(pieces[best])
        first = _densest([self._found_in(word) for word in words])
        kept = self._grown(words, max(0, first - _BEFORE), "", room, missing)
        if kept:
            return kept
        signs = signs_of(pieces[best])
        first = _densest(self._found_at(signs))
        return self._grown(signs, max(0, first - _BEFORE), "", room, missing)

    def _matches(self, piece: str) -> int:
        return len(self._found_in(piece))

    def _found_in(self, piece: str) -> frozenset[str]:
        return self._wanted.intersection(_core.analyze(piece, self._analyzer))

    def _found_at(self, signs: Sequence[str]) -> list[frozenset[str]]:
        """What begins at each sign, where there are no spaces to tell words apart."""
        found: list[frozenset[str]] = [frozenset()] * len(signs)
        piece = "".join(signs)
        sign_at = [number for number, sign in enumerate(signs) for _ in sign]
        for word in self._wanted:
            place = piece.find(word)
            while place >= 0:
                found[sign_at[place]] |= {word}
                place = piece.find(word, place + 1)
        return found

    def _grown(
        self, pieces: Sequence[str], best: int, between: str, room: int, missing: tuple[bool, bool]
    ) -> str:
        """The pieces around the best one that fit, what follows before what comes before; empty if not even that one
        does. `missing`: whether something before or after the pieces is. O(log n) counts.
        """

        def joined(start: int, end: int) -> str:
            before = "… " if start or missing[0] else ""
            after = " …" if end < len(pieces) or missing[1] else ""
            return before + between.join(pieces[start:end]).strip() + after

        def fits(start: int, end: int) -> bool:
            return self._count(joined(start, end)) <= room

        if not fits(best, best + 1):
            return ""
        end = best + 1 + _most(len(pieces) - best - 1, lambda more: fits(best, best + 1 + more))
        start = best - _most(best, lambda more: fits(best - more, end))
        return joined(start, end)


def _pieces(lines: Sequence[str]) -> tuple[list[str], bool]:
    """The sentences of as much as is looked at, and whether there is more."""
    pieces: list[str] = []
    left = _READ
    for line in lines:
        pieces += (piece for piece in _SENTENCE.split(line[:left]) if piece)
        left -= len(line)
        if left < 0:
            return pieces, True
    return pieces, False


def _densest(found: Sequence[frozenset[str]]) -> int:
    """The first place with something, of those from which on most different things stand within a window; 0 if there
    is nothing. O(n), and what is found."""
    counts: Counter[str] = Counter()
    best = most = different = 0
    for place in reversed(range(len(found))):
        for thing in found[place]:
            different += counts[thing] == 0
            counts[thing] += 1
        for thing in found[place + _WINDOW] if place + _WINDOW < len(found) else ():
            counts[thing] -= 1
            different -= counts[thing] == 0
        if found[place] and different >= most:
            best, most = place, different
    return best


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `limit` that fits, if all smaller ones do; 0 does."""
    low, high = 0, 1
    while high <= limit and fits(high):  # steps that double: what fits is mostly little
        low, high = high, high * 2
    high = min(high, limit + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
