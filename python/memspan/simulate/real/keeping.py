"""What is left of a conversation under quotas: its turns go into a native index one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from memspan.index import Index

from .conversations import Conversation

__all__ = ["kept_at_random", "kept_under"]


def kept_under(conversation: Conversation, capacities: Mapping[str, int], eviction: str) -> frozenset[str]:
    """The ids that the native quotas leave, by `oldest` or `value` (importance and redundancy)."""
    records = conversation.records
    assert records[0].embedding is not None
    index: Any = Index(len(records[0].embedding), auto_consolidate=False)
    index.set_quotas(None, capacities, eviction=eviction)
    for record in records:
        index.add(
            user=conversation.user,
            id=record.id,
            at=record.at,
            text=record.text,
            embedding=record.embedding,
            kind=record.kind,
            importance=record.importance,
        )
    return frozenset(index.ids(user=conversation.user))


def kept_at_random(conversation: Conversation, capacity: int, seed: int = 1) -> frozenset[str]:
    """As many turns, drawn evenly: what eviction has to beat."""
    ids = [record.id for record in conversation.records]
    random = np.random.default_rng([seed, len(ids)])
    return frozenset(random.choice(ids, size=min(capacity, len(ids)), replace=False).tolist())
