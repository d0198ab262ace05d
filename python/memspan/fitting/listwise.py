"""The loss that a ranking is learned by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Lists"]


@dataclass(frozen=True, slots=True)
class Lists:
    """Which candidates belong to which question and which of them answer it, one question below the other.

    The loss is a softmax over each question's candidates (the listwise loss of Cao et al., ICML 2007): the mean, over a
    question's evidence, of -log of the share that this record has against all candidates that are no evidence; what is
    evidence too does not count against it. Every question counts the same.
    """

    starts: NDArray[np.int64]  # where each question's candidates begin
    question: NDArray[np.int64]  # of each row
    evidence: NDArray[np.int64]  # rows
    share: NDArray[np.float32]  # of each evidence in its question

    @classmethod
    def of(cls, relevant: Sequence[NDArray[np.bool_]]) -> Lists:
        """Of each question's candidates, at least one of which answers it."""
        counts = np.array([len(each) for each in relevant])
        question = np.repeat(np.arange(len(relevant)), counts)
        evidence = np.flatnonzero(np.concatenate(relevant))
        found = np.bincount(question[evidence], minlength=len(relevant))
        return cls(
            starts=np.concatenate([[0], np.cumsum(counts)[:-1]]),
            question=question,
            evidence=evidence,
            share=(1.0 / found[question[evidence]]).astype(np.float32),
        )

    def loss(self, scores: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
        """The loss of these scores, by row, and its slope at each of them."""
        best = np.maximum.reduceat(scores, self.starts)
        powers = np.exp(scores - best[self.question])
        rivals = powers.copy()
        rivals[self.evidence] = 0.0
        rival_sum = np.add.reduceat(rivals, self.starts)
        of_evidence = self.question[self.evidence]
        own = powers[self.evidence]
        total = own + rival_sum[of_evidence] + 1e-30
        loss = -float((self.share * np.log((own + 1e-30) / total)).sum())
        pull = np.bincount(of_evidence, weights=self.share / total, minlength=len(self.starts))
        slope = (rivals * pull[self.question]).astype(np.float32)
        slope[self.evidence] = -self.share * (1.0 - own / total)
        return loss, slope
