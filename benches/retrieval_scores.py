"""How retrieval is scored: recall, all-found and reciprocal rank of each question, and means of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Answered:
    """One question with what should have come back and what did, best first."""

    category: int
    evidence: frozenset[str]
    retrieved: Sequence[str]

    def recall(self, k: int) -> float:
        """Share of the evidence within the first `k`."""
        return len(self.evidence & set(self.retrieved[:k])) / len(self.evidence)

    def has_all(self, k: int) -> bool:
        """Whether all of the evidence is within the first `k`."""
        return self.evidence <= set(self.retrieved[:k])

    @property
    def reciprocal_rank(self) -> float:
        """Of the first piece of evidence; 0 when none came back."""
        return next((1 / rank for rank, key in enumerate(self.retrieved, 1) if key in self.evidence), 0.0)


def mean_scores(answers: Sequence[Answered], cutoffs: Sequence[int], all_at: int) -> dict[str, float]:
    """Means over questions, in percent, by column name; every question counts the same."""
    count = len(answers)
    columns = {f"R@{k}": sum(answer.recall(k) for answer in answers) for k in cutoffs}
    columns[f"all@{all_at}"] = sum(answer.has_all(all_at) for answer in answers)
    columns["MRR"] = sum(answer.reciprocal_rank for answer in answers)
    return {name: 100 * total / count if count else 0.0 for name, total in columns.items()}
