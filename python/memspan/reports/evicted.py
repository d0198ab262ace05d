"""What `Memory.evicted` returns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memspan.records import Record

__all__ = ["Evicted"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evicted:
    """A record that made room for others and waits in the cold tier."""

    record: Record
    """As it was, without its embedding."""
    moved_at: datetime
    """When it made room; aware, UTC."""
    last_source_of: tuple[str, ...]
    """Ids of derived records that have no source in memory without this one."""

    @property
    def id(self) -> str:
        """Of the record."""
        return self.record.id
