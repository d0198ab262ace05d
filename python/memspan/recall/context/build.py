"""A context from the result of a search."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timezone, tzinfo

from memspan.remember.searching.recall import Recalls

from .budget import Budget
from .entry import Candidate, Entry
from .layout import Layout
from .result import Context, Source
from .selection import select
from .shortening import Shortener
from .worth import by_worth

__all__ = ["build_context"]


def build_context(
    question: str,
    recalls: Recalls,
    budget: Budget,
    *,
    after: Mapping[str, Collection[str]],
    analyzer: str,
    numbered_from: int | None = None,
    zone: tzinfo = timezone.utc,
) -> Context:
    """The best of what a search found, within the budget: by what it is worth for its length after a learned ranking,
    else by rank. Deterministic.

    Args:
        question: decides what is left of long memories.
        recalls: best first; scores are logarithms of odds where there is a plan.
        after: for the id of each of them, what comes after it in its session: the next record, and the next of its
            kind.
        analyzer: how words are found in texts.
        numbered_from: let numbers from here on stand for all records, also where an id is short and plain.
        zone: whose days and hours stand over the records.
    """
    layout = Layout(after, budget.count, first=1 if numbered_from is None else numbered_from)
    candidates = [
        Candidate(recall, rank, zone, numbered=numbered_from is not None)
        for rank, recall in enumerate(recalls, 1)
    ]
    chosen = [each for each in candidates if each.text]
    if recalls.plan is not None:
        budget = replace(budget, by_worth=True)
        chosen = by_worth(chosen, budget)
    entries = select(chosen, budget, layout, Shortener(question, analyzer, budget.count))
    while entries:
        text, sources = layout.written(entries)
        tokens = budget.count(text)
        if tokens <= budget.tokens:
            return Context(text, tuple(_source(*source) for source in sources), tokens, recalls)
        # A counter may find more tokens in a text than in its lines, and labels may be longer than was thought.
        entries = _lighter(entries, tokens - budget.tokens, layout)
    return Context("", (), 0, recalls)


def _lighter(entries: Sequence[Entry], excess: int, layout: Layout) -> list[Entry]:
    """Without so many of the worst that their lines make up for the excess, half of all at most: lines may cost less
    by themselves. One after the other, each with a count of the whole text, would be quadratic.
    """
    kept = sorted(entries, key=lambda entry: entry.rank)
    fewest = len(kept) // 2
    while excess > 0 and len(kept) > fewest:
        excess -= max(1, layout.cost(layout.draft(kept.pop())))
    return kept


def _source(entry: Entry, candidate: Candidate, label: str) -> Source:
    hit = candidate is entry.shown
    return Source(
        id=candidate.id,
        at=candidate.at,
        speaker=candidate.recall.record.speaker,
        session=candidate.session,
        label=label,
        why="hit" if hit else "duplicate",
        rank=candidate.rank,
        score=candidate.recall.score,
        share=min(1.0, len(entry.text) / len(entry.shown.text)),
    )
