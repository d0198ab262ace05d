"""What a search of a `Memory` returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from memspan.recall.plan import Plan
from memspan.records import Record
from memspan.remember.compose import shown_text

__all__ = ["Moved", "Recall", "Recalls", "Timings", "recall_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """One record that was found: its `id`, its `text`, `at` when it happened, and the `score` that it is ranked by.

    `views` tells by which views it was found, with its rank and score in each; `record` is all that is stored of it.
    """

    id: str
    text: str
    """The record's text, followed by the captions of its images."""
    at: datetime
    """When it happened; aware, in UTC."""
    score: float
    """Comparable within one result only; 0 in a listing. A policy of staleness changes the order and not the score."""
    record: Record
    """Everything that is stored about it, except the embedding."""
    views: Mapping[str, tuple[int, float]]
    """For each view that found it, its rank there, from 1, and its score."""
    explanation: Mapping[str, Any] | None
    """With `explain=True`: how it was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A record that staleness moved within an answer. Ranks are from 1."""

    id: str
    before: int
    after: int
    staleness: float
    """0 (fresh) to 1; fresh ones rise because others sink."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Where the time of one call went: seconds of each stage, by the clock on the wall. Taking them costs about
    a microsecond a call.
    """

    planning: float = 0.0
    """The plan, by rules, with names and times, and the checks of the arguments; the checks alone if the caller gives
    the plan, or the fusion takes none."""
    embedding: float = 0.0
    """The embedders on the question, what was planned meanwhile left out; 0 when no view needed it."""
    search: float = 0.0
    """The native search, and catching up with what other handles wrote before it; also the second one that a
    confidence, kinds that the plan wants, or `as_of` with `valid_at` take."""
    fetch: float = 0.0
    """Reading the records of the hits from the database and building the list, in the order that staleness gives."""
    reranking: float = 0.0
    """The looks at the best of them, at their tokens and by the reranker, with what they read; the reranker's first one
    loads its model. 0 without both."""

    @property
    def total(self) -> float:
        """All stages together, which is all of the call."""
        return self.planning + self.embedding + self.search + self.fetch + self.reranking


_UNTIMED: Final = Timings()


class Recalls(list[Recall]):
    """A list of `Recall`, best first, with what is known of the whole search: its `plan`, its `timings` and, where they
    were asked for, `confidence`, `explanation` and what `moved`.
    """

    explanation: Mapping[str, Any] | None
    """With `explain=True`: how the search was run and what it left out."""
    confidence: float | None = None
    """With `confidence=True`: the probability that the memory holds an answer, 0-1. It was fitted to questions of
    which three in four had one (LoCoMo and BEAM), without a reranker."""
    plan: Plan | None = None
    """How the question was looked for; `None` when no learned ranking was used."""
    lifted: tuple[str, ...] = ()
    """Ids of those that were brought in, or up, because they are of a kind that the question asks for, see
    `Plan.record_kinds`."""
    moved: tuple[Moved, ...] = ()
    """What `staleness` moved, in the order of the answer; empty when it was off, or nothing moved."""
    timings: Timings = _UNTIMED
    """How long the call took, by stage."""

    def __init__(self, recalls: Iterable[Recall] = (), explanation: Mapping[str, Any] | None = None) -> None:
        super().__init__(recalls)
        self.explanation = explanation


def recall_of(
    record: Record, score: float, views: Mapping[str, tuple[int, float]], explanation: Any
) -> Recall:
    """Put a hit of the index and its record together."""
    return Recall(
        id=record.id,
        text=shown_text(record),
        at=record.at,
        score=score,
        record=record,
        views=views,
        explanation=explanation,
    )
