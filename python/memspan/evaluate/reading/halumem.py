"""HaluMem's figures from what judges said: memory integrity, memory accuracy and answers (Chen et al. 2025; the metrics
of ProMem, section 4.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Accuracy",
    "Answers",
    "Extracted",
    "Integrity",
    "Outcome",
    "Point",
    "accuracy_of",
    "answers_of",
    "integrity_of",
]

Outcome = Literal["correct", "hallucination", "omission"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A memory point of the labels, judged against all that was extracted from its session."""

    score: int | None
    """2 covered, 1 covered in part or wrong in part, 0 missing; `None`: the judge gave no verdict."""
    importance: float
    interference: bool = False
    """It was put in to mislead, and should be missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """An extracted memory, judged against the dialogue of its session and the labels."""

    score: int | None
    """2 supported, 1 in part, 0 not or contradicted; `None`: the judge gave no verdict."""
    expected: bool
    """It says what one of the labels says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrity:
    """How much of what should be remembered is. Points without a verdict count as missing, as in the authors' "all"."""

    recall: float
    """Share of the points that are covered: "memory integrity" in HaluMem's and ProMem's tables."""
    weighted_recall: float
    """Half and full coverage counted as such, by importance."""
    interference_refused: float | None
    """Share of the misleading points that are missing; `None` without any."""
    points: int
    """All, the misleading ones too."""
    judged: int
    misleading: int
    misleading_judged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How much of what is remembered is right. Memories without a verdict count as wrong."""

    accuracy: float
    """Mean over all extracted memories of 0, a half or 1."""
    expected_accuracy: float | None
    """The same over those that the labels hold too: "target precision"; `None` without any."""
    memories: int
    judged: int
    expected: int
    """How many `expected_accuracy` is over."""
    expected_judged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Shares of answers; they and what nobody judged add up to 1."""

    correct: float
    hallucination: float
    omission: float
    answers: int
    judged: int


def integrity_of(points: Iterable[Point]) -> Integrity | None:
    """Memory integrity; `None` without points that should be remembered. Without importance, all weigh the same."""
    wanted: list[Point] = []
    misleading: list[Point] = []
    for point in points:
        (misleading if point.interference else wanted).append(point)
    if not wanted:
        return None
    weight = sum(point.importance for point in wanted)
    weights = [point.importance if weight else 1.0 for point in wanted]
    covered = sum(w * (point.score or 0) / 2 for w, point in zip(weights, wanted, strict=True))
    refused = sum(point.score == 0 for point in misleading)
    return Integrity(
        recall=sum(point.score == 2 for point in wanted) / len(wanted),
        weighted_recall=covered / sum(weights),
        interference_refused=refused / len(misleading) if misleading else None,
        points=len(wanted) + len(misleading),
        judged=_judged((*wanted, *misleading)),
        misleading=len(misleading),
        misleading_judged=_judged(misleading),
    )


def accuracy_of(memories: Sequence[Extracted]) -> Accuracy | None:
    """Memory accuracy; `None` when nothing was extracted."""
    if not memories:
        return None
    halves = [(memory.score or 0) / 2 for memory in memories]
    expected = [memory for memory in memories if memory.expected]
    halves_of_expected = [half for half, memory in zip(halves, memories, strict=True) if memory.expected]
    return Accuracy(
        accuracy=sum(halves) / len(halves),
        expected_accuracy=sum(halves_of_expected) / len(expected) if expected else None,
        memories=len(memories),
        judged=_judged(memories),
        expected=len(expected),
        expected_judged=_judged(expected),
    )


def _judged(verdicts: Iterable[Point | Extracted]) -> int:
    return sum(verdict.score is not None for verdict in verdicts)


def answers_of(outcomes: Sequence[Outcome | None]) -> Answers | None:
    """Shares of the outcomes, `None` being an answer without a verdict; `None` without answers."""
    if not outcomes:
        return None
    return Answers(
        correct=outcomes.count("correct") / len(outcomes),
        hallucination=outcomes.count("hallucination") / len(outcomes),
        omission=outcomes.count("omission") / len(outcomes),
        answers=len(outcomes),
        judged=sum(outcome is not None for outcome in outcomes),
    )
