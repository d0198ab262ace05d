"""The end of a record's life, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memspan.records import Record
from memspan.times import MAX_MICROS, from_micros, now_micros, to_micros

__all__ = ["end_of_life", "given_end", "is_expired"]


def end_of_life(since: datetime, seconds: float) -> datetime:
    """When something that lives so long is gone; at the latest at the end of the year 9999."""
    return from_micros(min(to_micros(since) + round(seconds * 1e6), MAX_MICROS))


def given_end(record: Record, lifetimes: Mapping[str, float]) -> datetime | None:
    """The end that a record was given itself; `None` when it has the one of its kind, or none.

    Args:
        lifetimes: seconds by kind that hold for its user.
    """
    if record.expires_at is None or record.recorded_at is None or record.kind not in lifetimes:
        return record.expires_at
    of_kind = end_of_life(record.recorded_at, lifetimes[record.kind])
    return None if record.expires_at == of_kind else record.expires_at


def is_expired(record: Record, now: datetime | None = None) -> bool:
    """Whether its life is over.

    Args:
        now: when; by default at this moment, which is looked at only where there is an end.
    """
    return record.expires_at is not None and record.expires_at <= (now or from_micros(now_micros()))
