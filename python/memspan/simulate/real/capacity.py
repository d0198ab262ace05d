"""Evidence recall against capacity and allocation: what may stay, and who goes first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from memspan.lifecycle.allocations import ALLOCATIONS, apportioned

from ..world import KINDS
from .asking import ask_all
from .conversations import Conversation, Embedding
from .keeping import kept_at_random, kept_under
from .outcome import RealOutcome

__all__ = ["HALF", "SHARES", "allocation", "capacity", "kind_shares"]

SHARES: Final = (0.75, 0.5, 0.25, 0.1)
"""Of a conversation's turns."""
HALF: Final = 0.5
"""The capacity at which allocations are compared, as a share of the turns."""


def capacity(
    conversations: Sequence[Conversation], embedding: Embedding, advance: Callable[[int], object]
) -> Iterator[RealOutcome]:
    """All turns, then shares of them left by each order of eviction. One quota for all kinds together: here the kinds
    have no say."""
    yield RealOutcome(
        "capacity",
        "all turns",
        ask_all(conversations, embedding, advance=advance),
        True,
        {"kept": 1.0},
    )
    for share in SHARES:
        for order in ("oldest", "value", "random"):
            kept = {}
            for one in conversations:
                slots = max(1, math.ceil(share * len(one.records)))
                kept[one.user] = (
                    kept_at_random(one, slots)
                    if order == "random"
                    else kept_under(_of_one_kind(one), {"episodic": slots}, order)
                )
            values = ask_all(conversations, embedding, kept, advance=advance)
            yield RealOutcome(
                "capacity", f"{share:.0%}, {order}", values, measured=_evidence(conversations, kept)
            )


def allocation(
    conversations: Sequence[Conversation], embedding: Embedding, advance: Callable[[int], object]
) -> Iterator[RealOutcome]:
    """Half of the turns, shared out among kinds as in table 1; first without shares, for comparison."""
    for eviction in ("oldest", "value"):
        kept = {
            one.user: kept_under(_of_one_kind(one), {"episodic": _slots(one)}, eviction)
            for one in conversations
        }
        values = ask_all(conversations, embedding, kept, advance=advance)
        yield RealOutcome(
            "allocation",
            f"not shared out, {eviction}",
            values,
            eviction == "oldest",
            _evidence(conversations, kept),
        )
        for name, shares in ALLOCATIONS.items():
            kept = {}
            for one in conversations:
                kept[one.user] = kept_under(one, apportioned(_slots(one), shares), eviction)
            values = ask_all(conversations, embedding, kept, advance=advance)
            yield RealOutcome(
                "allocation", f"{name}, {eviction}", values, measured=_evidence(conversations, kept)
            )


def kind_shares(conversations: Sequence[Conversation]) -> dict[str, dict[str, float]]:
    """By data set: the share of each kind among turns, and among turns that are evidence."""
    found: dict[str, dict[str, float]] = {}
    for data_set in dict.fromkeys(one.data_set for one in conversations):
        own = [one for one in conversations if one.data_set == data_set]
        turns = [record.kind for one in own for record in one.records]
        evidence = [
            record.kind
            for one in own
            for record in one.records
            if any(record.id in question.evidence for question in one.questions)
        ]
        found[data_set] = {
            **{f"turns, {kind}": turns.count(kind) / len(turns) for kind in KINDS},
            **{f"evidence, {kind}": evidence.count(kind) / max(1, len(evidence)) for kind in KINDS},
        }
    return found


def _slots(conversation: Conversation) -> int:
    return max(len(KINDS), math.ceil(HALF * len(conversation.records)))


def _of_one_kind(conversation: Conversation) -> Conversation:
    records = tuple(replace(record, kind="episodic") for record in conversation.records)
    return Conversation(conversation.data_set, records, conversation.questions)


def _evidence(conversations: Sequence[Conversation], kept: dict[str, frozenset[str]]) -> dict[str, float]:
    """The shares of turns, and of the questions' evidence, that are still there."""
    left = [
        len(question.evidence & kept[one.user]) / len(question.evidence)
        for one in conversations
        for question in one.questions
    ]
    turns = sum(len(one.records) for one in conversations)
    return {
        "kept": sum(map(len, kept.values())) / turns,
        "evidence kept": sum(left) / len(left),
    }
