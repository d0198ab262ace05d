"""Words within a few typing errors of another one, out of a fixed list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from zlib import crc32

import numpy as np

__all__ = ["TypoIndex", "distance", "edits_allowed", "slips_of"]

_SHORTEST: Final = 5
_SHORTEST_DOUBLE: Final = 9
_LONGEST_DOUBLE: Final = 14
"""The number of variants grows with the square of the length, so that longer words may have one error only."""
_LONGEST: Final = 40


def edits_allowed(word: str) -> int:
    """How many typing errors a word may have: none below 5 letters, two from 9 to 14, one otherwise."""
    length = len(word)
    if length < _SHORTEST or length > _LONGEST:
        return 0
    return 2 if _SHORTEST_DOUBLE <= length <= _LONGEST_DOUBLE else 1


def slips_of(word: str) -> set[str]:
    """What a hasty hand makes of a short name: of 4 letters with two neighbours exchanged, of 5 without one.

    Among the 1,629 questions of the data sets and 169 short first names, one word with a capital looks like such a slip
    ("Lean", Lena). With a letter left out of 4 there are 160 more: Jon, Jan and San are no John, Jane and Sean. A wrong
    letter makes another name even more often.
    """
    if len(word) == _SHORTEST - 1:
        swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
        return swapped - {word}
    if len(word) == _SHORTEST:
        return {word[:at] + word[at + 1 :] for at in range(len(word))}
    return set()


class TypoIndex:
    """Finds words by what is left of them without one or two letters; immutable.

    Two words within n errors have a form in common that lacks up to n letters of each. The forms are kept as sorted
    checksums with the word that each came from: 8 bytes a form, 6 to 106 forms a word. Checksums that fall together
    only cost a comparison, as every candidate is compared letter by letter. A look-up is O(forms x log n).
    """

    __slots__ = ("_owners", "_sums", "_words")

    def __init__(self, words: Iterable[str]) -> None:
        self._words = [word for word in words if edits_allowed(word)]
        pairs = [(_sum(form), at) for at, word in enumerate(self._words) for form in _forms(word)]
        table = np.array(pairs, dtype=np.uint32).reshape(len(pairs), 2)
        order = np.argsort(table[:, 0], kind="stable")
        self._sums = table[order, 0]
        self._owners = table[order, 1]

    def near(self, word: str) -> list[tuple[int, str]]:
        """Words within the errors that both lengths allow, each after its distance, the nearest first."""
        edits = edits_allowed(word)
        if not edits or not self._words:
            return []
        sums = np.fromiter(map(_sum, _forms(word)), dtype=np.uint32)
        first = np.searchsorted(self._sums, sums, side="left")
        last = np.searchsorted(self._sums, sums, side="right")
        owners: set[int] = set()
        for at in np.flatnonzero(first < last):
            owners.update(self._owners[first[at] : last[at]].tolist())
        found = [(distance(word, self._words[at], edits), self._words[at]) for at in owners]
        return sorted(pair for pair in found if pair[0] <= min(edits, edits_allowed(pair[1])))


def _forms(word: str) -> set[str]:
    """The word with up to as many letters left out as it may have errors."""
    forms = {word}
    for _ in range(edits_allowed(word)):
        forms |= {form[:at] + form[at + 1 :] for form in forms for at in range(len(form))}
    return forms


def _sum(form: str) -> int:
    return crc32(form.encode())


def distance(one: str, two: str, most: int) -> int:
    """How many letters are put in, left out, replaced, or exchanged with the next; `most + 1` for any more."""
    if abs(len(one) - len(two)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(two) + 1))
    for i, letter in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, other in enumerate(two, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if last and j > 1 and letter == two[j - 2] and one[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
