"""What is known of runs: consolidations, and what was retired or superseded by hand. They can be undone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

__all__ = ["RUN_STATES", "Run", "Undone"]

RUN_STATES: Final = ("running", "done", "undone")
"""A run is under way or was interrupted, has ended, or was taken back."""


class Run(NamedTuple):
    """One change, by sleep or by hand, of one user's memories."""

    id: str
    user: str
    action: str
    """`consolidate`, `retire` or `supersede`."""
    state: str
    """One of `RUN_STATES`."""
    began: datetime
    ended: datetime | None
    changes: int
    """Records that it changed, made or took out, and that were not forgotten since."""
    report: Mapping[str, Any]
    """What it did, as JSON values."""


class Undone(NamedTuple):
    """What `Memory.undo` did."""

    run: str
    restored: int
    """Records that are again as they were before the run."""
    removed: int
    """Records that the run had made."""
    left: tuple[str, ...]
    """Ids of records that somebody changed since, and that stayed as they are (`leave_changed`)."""
    cold: tuple[str, ...] = ()
    """Of the restored records, ids of those that stay in the cold tier although they were in memory before the run:
    others have taken their room, or something else sent them there since. `Memory.restore` brings them back."""
