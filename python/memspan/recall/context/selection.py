"""Which memories a context holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from .budget import MOST_CHARACTERS_A_TOKEN, Budget
from .duplicates import Wordings, says_the_same
from .entry import Candidate, Entry
from .layout import Layout
from .shortening import Shortener

__all__ = ["select"]

_LEAST_LINE: Final = 6
"""Tokens of a line that says anything."""
_LEAST: Final = 12
"""Tokens of a passage that is worth its place."""
_TRIES: Final = 4
"""With a counter that finds more in a line than in its parts."""


def select(
    candidates: Sequence[Candidate], budget: Budget, layout: Layout, shortener: Shortener
) -> list[Entry]:
    """Fill the budget, in the order of the candidates.

    A memory that does not fit is passed over for the next that does. A long one (`Budget.whole`) waits until the
    others have been looked at, and is then shortened; the best of all gets a passage at once. What is left makes the
    shortened ones longer. Where nothing fits whole, there is a passage. What says the same as a memory that is in joins
    it, and the longer wording is shown.
    """
    filling = _Filling(budget, layout, shortener)
    waiting = []
    for candidate in candidates:
        if not filling.has(_LEAST_LINE):
            break
        if filling.joined(candidate):
            continue
        if filling.is_long(candidate):
            if candidate.rank > 1 or not filling.take_part(candidate):
                waiting.append(candidate)
        elif filling.has(len(candidate.text) // MOST_CHARACTERS_A_TOKEN):
            filling.take(Entry(candidate, candidate.text))
    for candidate in waiting:
        if not filling.has(_LEAST):
            break
        if not filling.joined(candidate):
            filling.take_part(candidate)
    if not filling.entries and filling.has(_LEAST):  # of what is not long, but does not fit
        any(map(filling.take_part, candidates))
    filling.lengthen()
    return list(filling.entries.values())


class _Filling:
    """The entries so far, by the rank of the first memory of each. Invariant: they cost at most the budget.

    To lay out all entries for each that comes would be quadratic. What one can cost at most is taken off instead, as
    long as that much is left, and the layout decides when it is not.
    """

    def __init__(self, budget: Budget, layout: Layout, shortener: Shortener) -> None:
        self._budget = budget
        self._layout = layout
        self._shortener = shortener
        self._wordings = Wordings()
        self.entries: dict[int, Entry] = {}
        self._left = budget.tokens - layout.frame
        """At least so many tokens are left; exactly, if settled."""
        self._settled = True

    def has(self, tokens: int) -> bool:
        """Whether at least so many tokens are left."""
        return self._left >= tokens or self._exactly_left() >= tokens

    def is_long(self, candidate: Candidate) -> bool:
        size = len(candidate.text)
        if size > self._budget.characters or size < self._budget.whole:  # a token has a character at least
            return size > self._budget.characters
        return self._cost(Entry(candidate, candidate.text)) > self._budget.whole

    def take(self, entry: Entry) -> bool:
        """Put an entry in if it fits."""
        cost = self._cost(entry)
        if not self.has(cost):  # without a date before it
            return False
        most = cost + self._layout.most_around(entry)
        if most <= self._left:
            self.entries[entry.rank] = entry
            self._left -= most
            self._settled = False
        elif not self._put(entry.rank, entry):
            return False
        self._wordings.add(entry.shown.wording, entry.rank)
        return True

    def joined(self, candidate: Candidate) -> bool:
        """Whether a memory says what one that is in does; it then joins that one, if its label fits."""
        key = self._wordings.find(candidate.wording)
        if key is None:
            return False
        entry = self.entries[key]
        if not says_the_same(entry.shown.wording, candidate.wording):
            return False  # only what was shown before something longer
        longer = len(candidate.wording.words) > len(entry.shown.wording.words)
        if longer and entry.text == entry.shown.text:
            if self._put(key, Entry(candidate, candidate.text, entry.members)):
                self._wordings.add(candidate.wording, key)
        else:
            self._join(key, replace(entry, same=(*entry.same, candidate)), candidate)
        return True

    def _join(self, key: int, entry: Entry, candidate: Candidate) -> None:
        """Put a candidate's label into the line of what says the same, if it fits."""
        most = self._layout.most_joined(candidate)
        if most <= self._left:
            self.entries[key] = entry
            self._left -= most
            self._settled = False
        else:
            self._put(key, entry)

    def take_part(self, candidate: Candidate) -> bool:
        """Put in a passage of a long memory, or as much of it as is left."""
        room = self._budget.passage if self._left >= self._budget.passage else self._exactly_left()
        inside = min(room, self._budget.passage) - self._cost(Entry(candidate, ""))
        if self.entries:
            text = self._shortener.shorten(candidate.lines(), inside) if inside >= _LEAST else ""
            return bool(text) and self.take(Entry(candidate, text))
        inside = min(inside, self._left_beside(Entry(candidate, "")))
        for _ in range(_TRIES):
            text = self._shortener.shorten(candidate.lines(), inside) if inside >= _LEAST else ""
            if not text or self.take(Entry(candidate, text)):
                return bool(text)
            inside -= max(1, -self._left_beside(Entry(candidate, text)))
        return False

    def _left_beside(self, entry: Entry) -> int:
        """The tokens that the first entry would leave; below zero if it does not fit."""
        return self._budget.tokens - self._layout.tokens((entry,))

    def lengthen(self) -> None:
        """Show more of what was shortened, the best first."""
        for key, entry in sorted(self.entries.items()):
            whole = entry.shown.text
            if entry.text == whole or self._exactly_left() <= 0:
                continue
            if len(whole) <= self._budget.tokens * MOST_CHARACTERS_A_TOKEN and self._put(
                key, replace(entry, text=whole)
            ):
                continue
            more = self._shortener.shorten(
                entry.shown.lines(), self._layout.cost(entry.text) + self._exactly_left()
            )
            if len(more) > len(entry.text):
                self._put(key, replace(entry, text=more))

    def _cost(self, entry: Entry) -> int:
        return self._layout.cost(self._layout.draft(entry))

    def _put(self, key: int, entry: Entry) -> bool:
        """Put an entry in, or in the place of what is there, if the layout says that it fits."""
        entries = {**self.entries, key: entry}
        left = self._budget.tokens - self._layout.tokens(entries.values())
        if left >= 0:
            self.entries, self._left, self._settled = entries, left, True
        return left >= 0

    def _exactly_left(self) -> int:
        if not self._settled:
            self._left = self._budget.tokens - self._layout.tokens(self.entries.values())
            self._settled = True
        return self._left
