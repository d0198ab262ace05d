"""The history of a memory, as `Memory.history` gives it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memspan.records import Record

__all__ = ["Belief", "History"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """What was believed from one moment to another."""

    record: Record
    """As it read then: with the `until` that it had, and without embedding. `get` takes its id, or, where it was
    evicted, `restore` does."""
    since: datetime
    """When it was learnt."""
    until: datetime | None
    """From when on it was not believed any more; `None` while it is."""
    action: str
    """Why it ended: `overwrite`, `supersede`, `merge`, `update`, `retire`; empty while it is believed."""
    by: tuple[str, ...]
    """Ids of what took its place or spoke against it."""
    evicted_at: datetime | None = None
    """When it went to the cold tier, where no search finds it and `restore` brings it back from; `None` of what is in
    memory."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "id": self.record.id,
            "text": self.record.text,
            "at": self.record.at.isoformat(),
            "until": None if self.record.until is None else self.record.until.isoformat(),
            "recorded_at": self.since.isoformat(),
            "retired_at": None if self.until is None else self.until.isoformat(),
            "action": self.action or None,
            "by": list(self.by),
            "evicted_at": None if self.evicted_at is None else self.evicted_at.isoformat(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What a record said, what it took the place of, and what took its place; each the earliest belief first."""

    id: str
    versions: tuple[Belief, ...]
    """What the record said, one after the other; the last is what stands under its id. Never empty."""
    before: tuple[Belief, ...]
    """Records that it took the place of, directly or through others, with what these said before."""
    after: tuple[Belief, ...]
    """Records that took its place, directly or through others, with what these said before."""

    def __iter__(self) -> Iterator[Belief]:
        """The whole chain: `before`, `versions`, `after`."""
        return iter((*self.before, *self.versions, *self.after))

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "id": self.id,
            "versions": [belief.to_dict() for belief in self.versions],
            "before": [belief.to_dict() for belief in self.before],
            "after": [belief.to_dict() for belief in self.after],
        }
