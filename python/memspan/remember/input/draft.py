"""A record on its way into the store."""

from __future__ import annotations

from typing import NamedTuple

from memspan.records import Record

__all__ = ["Draft"]


class Draft(NamedTuple):
    """A checked record, and what the caller left open about it."""

    record: Record
    dated: bool
    """Whether the caller said when it happened. If not, `at` is the time of the call, and a record that is
    already there under this id keeps its own."""
    named: bool
    """Whether the caller said the id. If not, it was made for this call, and nothing is there under it."""
