"""`LateRanker`: how what tokens say counts beside all else that a ranking sees in its best records."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan import _core
from memspan.arguments import as_texts
from memspan.errors import FormatError

from .late import LATE_FEATURES, RANK
from .ranker import FEATURES, Condition, has_tuned_questions
from .table_file import parse_table, read_table_bytes, write_table
from .weight_table import WeightTable

__all__ = ["LOOKED_AT_FEATURES", "SHARE", "LateRanker", "LateWeights", "late_ranker_for"]

LOOKED_AT_FEATURES: Final = (*FEATURES, *LATE_FEATURES)
"""What is known of a record that is looked at."""

SHARE: Final = 0.5
"""What the weights count against the score and the rank by tokens. Learned together with the others, MaxSim takes
conversations of a known kind further (LoCoMo's recall@1), learned by itself unknown ones; half of each has most of both
(benches/late_interaction.py)."""

FORMAT_VERSION: Final = 1
_FORMAT: Final = "memspan late ranker"
_FILE: Final = "weights-tokens.json"
# Name and checksum of the token embedder from whose similarities the weights were learned.
_TUNED_TOKENS: Final = (
    "answerai-colbert-small-v1-int8",
    "c3b5070c58613f87f5610ff95881d5bbb2794d4b3181d3620c870310a2278adc",
)


@dataclass(frozen=True, slots=True)
class LateWeights:
    """Of one question.

    Args:
        row: shape (len(LOOKED_AT_FEATURES),).
        base: what the ranking gave records of these features before some was taken off for what they share with others;
            `None`: their scores.
        share: what the weights count against the score and the rank by tokens, 0-1.
    """

    row: NDArray[np.float32]
    base: Callable[[NDArray[np.float32]], NDArray[np.float32]] | None = None
    share: float = SHARE

    def added(
        self,
        scores: NDArray[np.float64],
        features: NDArray[np.float32],
        similarities: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """What is added to the scores: the share of what the weights give beyond them, and the rest of
        `-.77 ln(rank)`; less its mean, so that on average nothing moves against records that were not looked at.

        Args:
            scores: log odds by the ranking, shape (n,).
            features: what it saw, shape (n, len(FEATURES)); NaN: nothing.
            similarities: shape (n,), NaN of records without tokens.

        Returns:
            Shape (n,); 0 where features or similarity are NaN. O(n x features + n log n).
        """
        base = scores if self.base is None else self.base(np.nan_to_num(features)).astype(np.float64)
        return _core.late_added(base, features, similarities, self.row, share=self.share, by_rank=RANK)


class LateRanker:
    """Weights of every feature, what the ranking saw and what tokens say. Immutable.

    Args:
        weights: by condition and feature, as those of `Ranker`; features are `LOOKED_AT_FEATURES`.
        trained_on: where they come from, for people.

    Raises:
        InvalidArgumentError: an unknown name, or a weight that is no number from -10,000 to 10,000.
    """

    __slots__ = ("_table", "_trained_on")

    def __init__(self, weights: Mapping[str, Mapping[str, float]], trained_on: Sequence[str] = ()) -> None:
        self._table: Final = WeightTable(weights, LOOKED_AT_FEATURES)
        self._trained_on: Final = tuple(as_texts(trained_on, "trained_on"))

    @property
    def trained_on(self) -> tuple[str, ...]:
        """Where the weights come from."""
        return self._trained_on

    def row(
        self,
        conditions: Sequence[Condition] = (),
        scales: NDArray[np.float32] | None = None,
        semantic: float = 1.0,
    ) -> NDArray[np.float32]:
        """The weights for one question, in the order of `LOOKED_AT_FEATURES`.

        Args:
            scales: what those of the ranking's features are multiplied by, as for `Ranker.ranking`.
            semantic: the same for what tokens say.

        Raises:
            InvalidArgumentError: an unknown condition.
        """
        row = self._table.row(conditions)
        if scales is not None:
            row[: len(FEATURES)] *= scales
        row[len(FEATURES) :] *= semantic
        return row

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table as JSON."""
        write_table(
            path,
            _FORMAT,
            FORMAT_VERSION,
            trained_on=list(self._trained_on),
            weights=self._table.rounded(),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LateRanker:
        """Read what `save` wrote.

        Raises:
            FormatError: it is something else, of another version, or names what this memspan does not know.
            OSError: it cannot be read.
        """
        return _parse(read_table_bytes(path), str(path))


def late_ranker_for(embedder: tuple[str, str], token_embedder: tuple[str, str]) -> LateRanker | None:
    """The one in the package, if it was learned with these, each a name and a checksum."""
    tuned = has_tuned_questions(*embedder) and token_embedder == _TUNED_TOKENS
    return _packaged() if tuned else None


@cache
def _packaged() -> LateRanker:
    return _parse(files("memspan.ranking").joinpath(_FILE).read_bytes(), _FILE)


def _parse(raw: bytes, name: str) -> LateRanker:
    document = parse_table(raw, name, _FORMAT, (FORMAT_VERSION,))
    try:
        weights: Any = document.get("weights")
        return LateRanker(weights, document.get("trained_on", ()))
    except ValueError as error:
        raise FormatError(f"{name}: {error}") from error
