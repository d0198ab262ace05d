"""Which memories a context holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from .budget import CHARACTERS_A_TOKEN, Budget
from .duplicates import says_the_same
from .entry import Candidate, Entry
from .layout import Layout
from .shortening import Shortener

__all__ = ["select"]

_LEAST_LINE: Final = 6
"""Tokens of a line that says anything."""
_LEAST: Final = 12
"""Tokens of a passage that is worth its place."""


def select(
    candidates: Sequence[Candidate], budget: Budget, layout: Layout, shortener: Shortener
) -> list[Entry]:
    """Fill the budget, best first.

    A memory that does not fit is passed over for the next that does. A long one (`Budget.whole`) waits until the
    others have been looked at, and is then shortened; the best of all gets a passage at once. What is left makes the
    shortened ones longer. What says the same as a memory that is in joins it, and the longer wording is shown.
    """
    filling = _Filling(budget, layout, shortener)
    waiting = []
    for candidate in candidates:
        if filling.left < _LEAST_LINE:
            break
        if filling.joined(candidate):
            continue
        if filling.is_long(candidate):
            if candidate.rank > 1 or not filling.take_part(candidate, budget.passage):
                waiting.append(candidate)
        elif len(candidate.text) <= filling.left * CHARACTERS_A_TOKEN:
            filling.take(Entry(candidate, candidate.text))
    for candidate in waiting:
        if filling.left < _LEAST:
            break
        if not filling.joined(candidate):
            filling.take_part(candidate, budget.passage)
    filling.lengthen()
    return filling.entries


class _Filling:
    """The entries so far. Invariant: they cost at most the budget."""

    def __init__(self, budget: Budget, layout: Layout, shortener: Shortener) -> None:
        self._budget = budget
        self._layout = layout
        self._shortener = shortener
        self.entries: list[Entry] = []
        self.left = budget.tokens - layout.frame

    def is_long(self, candidate: Candidate) -> bool:
        size = len(candidate.text)
        if size > self._budget.characters or size < self._budget.whole:  # a token has a character at least
            return size > self._budget.characters
        return self.costs(Entry(candidate, candidate.text)) > self._budget.whole

    def costs(self, entry: Entry) -> int:
        """Of its line alone."""
        return self._layout.cost(self._layout.draft(entry))

    def take(self, entry: Entry, instead_of: int | None = None) -> bool:
        """Put an entry in, or in the place of one that is there, if it fits."""
        # Its own line, without a date before it, shows most of those that do not fit.
        if instead_of is None and self.costs(entry) > self.left:
            return False
        entries = [*self.entries, entry]
        if instead_of is not None:
            del entries[instead_of]
        left = self._budget.tokens - self._layout.tokens(entries)
        if left < 0:
            return False
        self.entries, self.left = entries, left
        return True

    def joined(self, candidate: Candidate) -> bool:
        """Whether a memory says what one that is in does; it then joins that one, if its label fits."""
        for i, entry in enumerate(self.entries):
            if says_the_same(entry.shown.wording, candidate.wording):
                longer = len(candidate.wording.words) > len(entry.shown.wording.words)
                if longer and entry.text == entry.shown.text:
                    changed = Entry(candidate, candidate.text, entry.members)
                else:
                    changed = replace(entry, same=(*entry.same, candidate))
                self.take(changed, instead_of=i)
                return True
        return False

    def take_part(self, candidate: Candidate, room: int) -> bool:
        """Put in as much of a memory as fits into `room` tokens and what is left."""
        overhead = self.costs(Entry(candidate, ""))
        inside = min(room, self.left) - overhead
        text = self._shortener.shorten(candidate.text, inside) if inside >= _LEAST else ""
        return bool(text) and self.take(Entry(candidate, text))

    def lengthen(self) -> None:
        """Show more of what was shortened, the best first."""
        for entry in sorted(self.entries, key=lambda entry: entry.rank):
            if entry.text == entry.shown.text or self.left <= 0:
                continue
            place = self.entries.index(entry)
            if len(entry.shown.text) <= self._budget.characters and self.take(
                replace(entry, text=entry.shown.text), instead_of=place
            ):
                continue
            more = self._shortener.shorten(entry.shown.text, self._layout.cost(entry.text) + self.left)
            if len(more) > len(entry.text):
                self.take(replace(entry, text=more), instead_of=place)
