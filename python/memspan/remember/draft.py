"""A record on its way into the store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from memspan.records import Record

from .versions import Overwriting, overwriting

__all__ = ["Draft"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A checked record, and what the caller left open about it."""

    record: Record
    dated: bool = True
    """Whether the caller said when it happened. If not, `at` is the time of the call, and a record that is
    already there under this id keeps its own."""

    def settled(
        self,
        existing: Record,
        now: datetime,
        *,
        lifetimes: Mapping[str, float] | None = None,
        taken: Callable[[str], bool] = lambda id_: False,
    ) -> Overwriting | None:
        """See `overwriting`, given what is stored under its id."""
        record = self.record if self.dated else replace(self.record, at=existing.at)
        return overwriting(record, existing, now, lifetimes=lifetimes, taken=taken)
