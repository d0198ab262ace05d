"""Late interaction in a ranking: what the tokens of its best records say of a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan import _core
from memspan._core import TokenBlocks

__all__ = [
    "LATE_FEATURES",
    "LOOKED_AT",
    "RANK",
    "TokenBlocks",
    "added_by_rank",
    "late_features",
    "max_similarities",
]

LOOKED_AT: Final = 64
"""How many of a ranking are looked at. 48 and 96 change recall at 1 to 10 by .6 points at most, left out."""

RANK: Final = 0.77
"""Log odds a unit of the logarithm of the rank. Beside scores as those of `weights-tuned.json` .6 is learned where the
weights know other conversations of the data set, and .9 to 1.5 where they do not. Beside the score alone, neither the
similarity itself nor how far it stands out says what its rank does not."""

LATE_FEATURES: Final = ("token_similarity", "token_z", "token_rank", "token_top")
"""What `late_features` says of a record: its MaxSim, by how many standard deviations that stands out among those looked
at, -ln(rank), and 4 / (rank + 3)."""


def max_similarities(question: NDArray[np.float32], records: Sequence[TokenBlocks]) -> NDArray[np.float32]:
    """MaxSim (Khattab and Zaharia, "ColBERT", SIGIR 2020): the mean over the question's tokens of the best cosine with
    a token of the record.

    Args:
        question: shape (tokens, dim), rows of length 1.
        records: each made of shape (n, dim), whose lengths do not count; with n = 0 it has none.

    Returns:
        Shape (len(records),), -1 to 1; NaN for records without tokens, and for all of them if the question has none.
        O(tokens of the question x tokens of the records x dim).

    Raises:
        InvalidArgumentError: a number that is not finite, or a record of another dim.
    """
    return _core.max_similarities(question, list(records))


def added_by_rank(similarities: NDArray[np.float32]) -> NDArray[np.float64]:
    """What similarities add to log odds: `-.77 ln(rank)`, from which its mean is taken, so that on average nothing
    moves against records that were not looked at. 0 for NaN; equal ones share the mean of their ranks, and so do those
    that differ by less than what rounding makes of the same tokens, 1e-5. O(n log n).
    """
    return _core.late_added(None, None, similarities, None, share=0.0, by_rank=RANK)


def late_features(similarities: NDArray[np.float32]) -> NDArray[np.float32]:
    """What tokens say of records beside each other, shape (n, len(LATE_FEATURES)).

    Equal ones, up to what rounding makes of the same tokens, have equal features. O(n log n).

    Raises:
        InvalidArgumentError: a similarity is NaN, as that of a record without tokens.
    """
    return _core.late_features(similarities)
