"""What a hasty hand makes of short names; longer ones are found by their distance (`_core.NearWords`)."""

from __future__ import annotations

from typing import Final

__all__ = ["slips_of"]

_LONGEST: Final = 5


def slips_of(word: str) -> set[str]:
    """What a hasty hand makes of a short name: of 4 letters with two neighbours exchanged, of 5 without one.

    Among the 1,629 questions of the data sets and 169 short first names, one word with a capital looks like such a slip
    ("Lean", Lena). With a letter left out of 4 there are 160 more: Jon, Jan and San are no John, Jane and Sean. A wrong
    letter makes another name even more often.
    """
    if len(word) == _LONGEST - 1:
        swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
        return swapped - {word}
    if len(word) == _LONGEST:
        return {word[:at] + word[at + 1 :] for at in range(len(word))}
    return set()
