"""Texts of records at the ratios that a strategy of compression gives (store-compress-staleness, 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memspan.encode.compression.compress import retained
from memspan.encode.compression.corpus import Frequencies
from memspan.encode.compression.pieces import Piece, split_pieces
from memspan.encode.compression.protected import name_words
from memspan.encode.compression.scorers import information
from memspan.encode.values import Turn
from memspan.records import KINDS, Record

from .compression import ratios

__all__ = ["CountWords", "pieces_of", "ratios_of", "shortened", "word_scores"]

CountWords: TypeAlias = Callable[[Sequence[str]], Frequencies]
"""Document frequencies of words among a user's records."""


def ratios_of(records: Sequence[Record], strategy: str, target: float) -> NDArray[np.float64]:
    """The ratio of each record, by its importance and kind; see `memspan.lifecycle.compression.ratios`."""
    importance = [np.nan if record.importance is None else record.importance for record in records]
    kinds = [KINDS.index(record.kind) for record in records]
    return ratios(strategy, target, importance=importance, kinds=kinds)


def pieces_of(records: Sequence[Record]) -> list[list[Piece]]:
    """The words of each record's text."""
    return [split_pieces(record.text) for record in records]


def word_scores(pieces: Sequence[Sequence[Piece]], count: CountWords) -> list[NDArray[np.float64]]:
    """How much each word says: its self-information among the user's records, without a model."""
    words = list(dict.fromkeys(piece.word for of_text in pieces for piece in of_text))
    return information(pieces, words, count(words))


def shortened(
    records: Sequence[Record],
    wanted: ArrayLike,
    pieces: Sequence[Sequence[Piece]],
    scores: Sequence[NDArray[np.float64]],
) -> list[str]:
    """The text of each record with only the share `wanted` of its words, those with the highest scores.

    Names, numbers, dates and negations always stay, so that short texts and texts full of facts keep more than is
    wanted, and none becomes empty. O(words log words).
    """
    names = name_words({record.speaker for record in records})
    return [
        retained(Turn.of(record), record.text, of_text, values, float(ratio), names)
        for record, ratio, of_text, values in zip(records, np.asarray(wanted), pieces, scores, strict=True)
    ]
