"""A record on its way into the store."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from memspan.records import Record

__all__ = ["Draft", "same_content"]

_COMPARED: Final = (
    "text", "kind", "until", "session", "speaker", "tags", "entities", "importance", "provenance", "fidelity",
    "sources", "metadata", "retired_at", "expires_at", "pinned", "held",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Draft:
    """A checked record, and what the caller left open about it."""

    record: Record
    dated: bool = True
    """Whether the caller said when it happened. If not, `at` is the time of the call, and a record that is
    already there under this id keeps its own."""

    def settled(self, existing: Record | None) -> Record | None:
        """The record to write, given what is stored under its id (with its embedding); `None` when nothing
        would change.

        Learning the same thing again does not change when it was learnt. What is pinned or held stays so.
        """
        if existing is None:
            return self.record
        record = self.record if self.dated else replace(self.record, at=existing.at)
        if existing.pinned > record.pinned or existing.held > record.held:
            record = replace(
                record, pinned=existing.pinned or record.pinned, held=existing.held or record.held
            )
        same = (
            same_content(record, existing)
            and record.recorded_at in (None, existing.recorded_at)
            and (record.embedding is None or np.array_equal(record.embedding, existing.embedding))  # type: ignore[arg-type]
        )
        return None if same else record


def same_content(one: Record, other: Record) -> bool:
    """Whether two records say the same; embeddings and `recorded_at` are not compared."""
    return one.at == other.at and all(getattr(one, field) == getattr(other, field) for field in _COMPARED)
