"""Which of the procedures that are known a learnt one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["alike", "matched"]

_ALIKE: Final = 0.6


def alike(one: Sequence[str], other: Sequence[str]) -> float:
    """The longest common subsequence as a share of the longer of the two. O(product of the lengths)."""
    if not one or not other:
        return 0.0
    row = [0] * (len(other) + 1)
    for action in one:
        diagonal = 0
        for place, wanted in enumerate(other, 1):
            diagonal, row[place] = (
                row[place],
                diagonal + 1 if action == wanted else max(row[place], row[place - 1]),
            )
    return row[-1] / max(len(one), len(other))


def matched(learnt: Sequence[tuple[str, ...]], known: Sequence[tuple[str, ...]]) -> dict[int, int]:
    """For each learnt procedure the known one that it is, by position: the one with the same steps, else the most
    similar one of which three fifths of the steps are the same, which has changed then. Each known one is one at
    most."""
    pairs = sorted(
        (-alike(one, other), i, j) for i, one in enumerate(learnt) for j, other in enumerate(known)
    )
    found: dict[int, int] = {}
    for likeness, i, j in pairs:
        if -likeness >= _ALIKE and i not in found and j not in found.values():
            found[i] = j
    return found
