"""Which turns the statements cover, and the vectors that tell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .values import Statement, Turn

__all__ = ["alignment", "turn_text"]


def turn_text(turn: Turn) -> str:
    """What is embedded of a turn: `speaker: text`, as its own record is."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def alignment(
    turns: Sequence[Turn], statements: Sequence[Statement], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """S(t, m) of ProMem, equation 2: the cosines of turns and statements, shape (turns, statements).

    One product of matrices, which numpy hands to BLAS; the core has no batch of dot products to offer at its border.

    Args:
        vectors: of unit length, of the texts of the turns and then of the statements, shape (turns + statements, dim).
    """
    scores: NDArray[np.float32] = vectors[: len(turns)] @ vectors[len(turns) : len(turns) + len(statements)].T
    return scores
