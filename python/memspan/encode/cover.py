"""Which turns the statements cover, and the vectors that tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan import _core

from .values import Statement, Turn

__all__ = ["alignment", "deviations_of", "turn_text"]

_FEWEST: Final = 16


def turn_text(turn: Turn) -> str:
    """What is embedded of a turn: `speaker: text`, as its own record is."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def alignment(
    turns: Sequence[Turn], statements: Sequence[Statement], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """S(t, m) of ProMem, equation 2: the cosines of turns and statements, shape (turns, statements).

    Computed by the core, whose value of a pair depends on nothing but its two texts. O(turns * statements * dim).

    Args:
        vectors: of unit length, of the texts of the turns and then of the statements, shape (turns + statements, dim).
    """
    rows = np.ascontiguousarray(vectors, np.float32)
    return _core.inner_products(rows[: len(turns)], rows[len(turns) : len(turns) + len(statements)])


def deviations_of(scores: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """The same scores, as standard deviations above their mean; `None` where there are too few to tell, or no spread.

    Most turns have nothing to do with most statements, so that the mean and spread of all pairs say how similar
    unrelated texts are to this embedder: a cosine of 0.6 is a near copy to one and chance to another.
    """
    spread = float(scores.std()) if scores.size >= _FEWEST else 0.0
    if spread < 1e-6:
        return None
    deviations: NDArray[np.float32] = (scores - scores.mean()) / np.float32(spread)
    return deviations
