"""`Scorer`: how worthwhile each piece of a text is; and the model-free one, self-information."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memspan.encode.stage import Tools

from .corpus import Corpus, Frequencies, frequencies_in
from .pieces import Piece

__all__ = ["Scorer", "SelfInformation", "information", "share_out"]


class Scorer(Protocol):
    """Scores pieces for retention: P(retain x_i | x) of LightMem 3.1, or anything else that orders them alike."""

    @property
    def name(self) -> str:
        """For logs and metadata, such as `self-information`."""

    async def score(
        self, texts: Sequence[str], pieces: Sequence[Sequence[Piece]], tools: Tools
    ) -> list[NDArray[np.float64]]:
        """For each text an array of its pieces' scores, finite; more is kept sooner. Scores of different texts need
        not be comparable.

        Raises:
            MemspanError: it cannot tell; `Compress` then uses self-information.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfInformation:
    """-log2 of the share of the user's records that hold the word: rare words say more.

    The statistics are those of the user's own index where the tools know it (`Corpus`), and of the job's texts
    otherwise. Words that the analyzer drops carry no information. No model and no network; O(words).
    """

    @property
    def name(self) -> str:
        return "self-information"

    async def score(
        self, texts: Sequence[str], pieces: Sequence[Sequence[Piece]], tools: Tools
    ) -> list[NDArray[np.float64]]:
        """See `Scorer.score`."""
        words = list(dict.fromkeys(piece.word for of_text in pieces for piece in of_text))
        if isinstance(tools, Corpus):
            documents, counts = await tools.frequencies(words)
        else:
            documents, counts = frequencies_in(texts, words)
        return information(pieces, words, Frequencies(documents, counts))


def information(
    pieces: Sequence[Sequence[Piece]], words: Sequence[str], frequencies: Frequencies
) -> list[NDArray[np.float64]]:
    """For each text the bits of its pieces, see `SelfInformation`; `words` are all that the pieces have. O(pieces)."""
    documents, counts = frequencies
    # Half a record more than were counted: a word that none holds is finite, and one that all hold is 0.
    bits = {
        word: math.log2((documents + 0.5) / (min(count, documents) + 0.5))
        for word, count in zip(words, counts, strict=True)
    }
    bits[""] = 0.0  # marks alone
    return [np.array([bits[piece.word] for piece in of_text], dtype=np.float64) for of_text in pieces]


def share_out(
    pieces: Sequence[Piece], spans: Sequence[tuple[int, int]], values: Sequence[float], *, mean: bool
) -> NDArray[np.float64]:
    """Values of a model's tokens as scores of pieces: the sum, or the mean, over the tokens that touch the piece.

    Args:
        spans: start and end of each token in the text, ascending; empty ones belong to no piece.

    A piece that no token touches gets the largest score: what the model did not see is not cut. O(pieces + tokens).
    """
    totals = np.zeros(len(pieces))
    counts = np.zeros(len(pieces))
    first = 0
    for (start, end), value in zip(spans, values, strict=True):
        while first < len(pieces) and pieces[first].end <= start:
            first += 1
        position = first
        while position < len(pieces) and pieces[position].start < end:
            totals[position] += value
            counts[position] += 1
            position += 1
    scores = totals / np.maximum(counts, 1) if mean else totals
    seen = counts > 0
    scores[~seen] = scores[seen].max() if seen.any() else 0.0
    return scores
