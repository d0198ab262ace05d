"""How much of a question's evidence stands in a context of so many tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from memspan.formats.questions.labelled import Unit
from memspan.memory import Memory
from memspan.recall.context import Budget, Context
from memspan.remember.searching.contexts import context_of
from memspan.remember.searching.recall import Recalls

from .sources import brought_by

__all__ = ["CONTEXT_SCORES", "Held", "context_scores", "held_by", "held_of"]

MOST: Final = 0.5
"""The share of a record's text from which on a context holds it."""

CONTEXT_SCORES: Final = ("tokens", "recall", "all", "named")
"""`tokens` of the text; `recall`, the share of the evidence that it holds; `all`, 1 if it holds all of it; `named`, the
share of the evidence of which it holds anything, however little."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a context held, in the unit that is scored."""

    tokens: int
    held: frozenset[str]
    """The records at least half of whose text stands in it, or whose words another record says there; or their
    sessions."""
    named: frozenset[str]
    """All its sources, or their sessions."""
    seconds: float = 0.0
    """Making it of what the search found."""


def held_of(context: Context, unit: Unit, seconds: float = 0.0) -> Held:
    """What a context holds: turns, or sessions of which it holds a turn."""
    records = {recall.id: recall.record for recall in context.recalls}
    named: list[tuple[str, float]] = []
    for each in context.sources:
        if unit == "session":
            named.append((each.session or "", each.share))
        else:
            turns = brought_by(records[each.id]) if each.id in records else (each.id,)
            named += [(turn, each.share) for turn in turns]
    return Held(
        tokens=context.tokens,
        held=frozenset(name for name, share in named if share >= MOST),
        named=frozenset(name for name, _ in named),
        seconds=seconds,
    )


def held_by(memory: Memory, question: str, user: str, recalls: Recalls, budget: Budget, unit: Unit) -> Held:
    """Make the context of what was found, as `Memory.context` does, and look what it holds."""
    start = perf_counter()
    context = context_of(memory._engine, question, user, recalls, budget)
    return held_of(context, unit, perf_counter() - start)


def context_scores(held: Held, relevant: frozenset[str]) -> Mapping[str, float]:
    """The values of `CONTEXT_SCORES`; `relevant` is not empty."""
    return {
        "tokens": float(held.tokens),
        "recall": len(relevant & held.held) / len(relevant),
        "all": float(relevant <= held.held),
        "named": len(relevant & held.named) / len(relevant),
    }
