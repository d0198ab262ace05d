"""Ask the questions of conversations of which only a part was kept, or with other wording."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memspan.formats.questions import LabelledQuestion
from memspan.memory import Memory
from memspan.records import Record

from .conversations import Conversation, Embedding

__all__ = ["K", "ask_all", "recall", "remembering"]

K = 10
"""Records that a question brings back."""


@contextmanager
def remembering(records: Sequence[Record], embedding: Embedding) -> Iterator[Memory]:
    """A memory of its own that holds these records, of any number of users; gone afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix="memspan-simulate-") as directory,
        Memory(Path(directory) / "real.memspan", embedding.questions, auto_consolidate=False) as memory,
    ):
        # What was found important, and of what kind, decides what is kept; searches see turns as they always do.
        memory.add_records([replace(record, kind="episodic", importance=None) for record in records])
        yield memory


def recall(question: LabelledQuestion, ids: Sequence[str]) -> float:
    """recall@K: the share of a question's evidence among what came back."""
    return len(question.evidence.intersection(ids[:K])) / len(question.evidence)


def ask_all(
    conversations: Sequence[Conversation],
    embedding: Embedding,
    kept: Mapping[str, Collection[str]] | None = None,
    reworded: Mapping[str, Sequence[Record]] | None = None,
    advance: Callable[[int], object] = lambda count: None,
) -> NDArray[np.float64]:
    """recall@K of every question, conversation by conversation, asked after its end.

    Args:
        kept: by user, the ids of the records that are left; all by default.
        reworded: by user, the records as they are now.
    """
    records = [
        record
        for conversation in conversations
        for record in (conversation.records if reworded is None else reworded[conversation.user])
        if kept is None or record.id in kept[conversation.user]
    ]
    values = []
    with remembering(records, embedding) as memory:
        for conversation in conversations:
            for question in conversation.questions:
                found = memory.search(question.text, user=conversation.user, k=K, now=question.now)
                values.append(recall(question, [each.id for each in found]))
    advance(1)
    return np.array(values)
