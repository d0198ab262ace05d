"""The part of a long text that answers a question best."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from memspan import _core

from .tokens import TokenCounter

__all__ = ["Shortener"]

_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_WORD: Final = re.compile(r"(?<=\s)")
_READ: Final = 50_000
"""Characters that are looked at."""
_BEFORE: Final = 3
"""Words kept before the first one that the question has, too."""


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
        self._wanted = frozenset(_core.analyze(question, analyzer))

    def shorten(self, text: str, room: int) -> str:
        """Whole sentences around the one with most of the question's words, the first of equal ones, with `…` where
        something is missing; words, or characters, of a sentence that is too long. At most `room` tokens; empty if
        nothing fits. `text` is one line.
        """
        cut = text[:_READ]
        pieces = [piece for piece in _SENTENCE.split(cut) if piece]
        if not pieces:
            return ""
        best = max(range(len(pieces)), key=lambda i: (self._matches(pieces[i]), -i))
        open_end = len(cut) < len(text)
        kept = self._grown(pieces, best, " ", room, (False, open_end))
        if kept:
            return kept
        missing = (best > 0, open_end or best + 1 < len(pieces))
        words = _WORD.split(pieces[best])
        first = next((i for i, word in enumerate(words) if self._matches(word)), 0)
        kept = self._grown(words, max(0, first - _BEFORE), "", room, missing)
        return kept or self._grown(list(pieces[best]), 0, "", room, missing)

    def _matches(self, piece: str) -> int:
        return len(self._wanted.intersection(_core.analyze(piece, self._analyzer)))

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
