"""Which memories a context holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .budget import Budget
from .duplicates import says_the_same
from .entry import Candidate, Entry
from .layout import Layout
from .shortening import Shortener

__all__ = ["select"]


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
        if filling.joined(candidate):
            continue
        if filling.is_long(candidate):
            if candidate.rank > 1 or not filling.take_part(candidate, budget.passage):
                waiting.append(candidate)
        elif filling.left > 0:
            filling.take(Entry(candidate, candidate.text))
    for candidate in waiting:
        if filling.left <= 0:
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
        if len(candidate.text) > self._budget.characters:
            return True
        return self._layout.cost(self._layout.line(Entry(candidate, candidate.text))) > self._budget.whole

    def take(self, entry: Entry, instead_of: int | None = None) -> bool:
        """Put an entry in, or in the place of one that is there, if it fits."""
        # Its own line, without a date before it, shows most of those that do not fit.
        if instead_of is None and self._layout.cost(self._layout.line(entry)) > self.left:
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
        overhead = self._layout.cost(self._layout.line(Entry(candidate, "")))
        text = self._shortener.shorten(candidate.text, min(room, self.left) - overhead)
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
