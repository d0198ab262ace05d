"""How beliefs end: what a record gets when it is retired, and how it read before.

There are two axes of time (Snodgrass 1999). `at` .. `until` is when something was true, `recorded_at` .. `retired_at`
when it was believed. A record that is retired stays as it is and gets two times: `retired_at`, and an `until` not later
than the one it had. What it had is kept under `ended` in its metadata, with why it ended and what took its place:
`{"action": "update", "by": ["id", ...], "until": microseconds}`, the last only if there was an end. The core reads
it there for searches that name both times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from memspan.records import Record
from memspan.times import from_micros, now_micros, to_micros

from .life import is_expired

__all__ = [
    "ENDED",
    "as_believed",
    "before_ending",
    "ended",
    "ended_by",
    "is_current",
    "moment_after",
    "was_believed",
    "was_known",
    "was_valid",
]

ENDED: Final = "ended"
"""The key of the metadata that says how a belief ended."""

_TICK: Final = timedelta(microseconds=1)


def moment_after(records: Iterable[Record], now: datetime | None = None) -> datetime:
    """Now, or a microsecond after the last of these records was recorded: when what is believed changes.

    A clock that went backwards would otherwise let a belief end before it began, and `as_of` find two of a record or
    none.

    Args:
        now: the time to go by; `None` for that of the clock.
    """
    recorded = (record.recorded_at for record in records)
    latest = max((at for at in recorded if at is not None), default=None)
    moment = from_micros(now_micros()) if now is None else now
    return moment if latest is None else max(moment, latest + _TICK)


def ended(record: Record, *, action: str, by: Sequence[str], at: datetime, moment: datetime) -> Record:
    """The record as it is when nobody believes it any more.

    Args:
        action: why: `merge`, `update` or `retire` in sleep or by hand, `supersede`, `overwrite`, `undo`.
        by: ids of what took its place or speaks against it.
        at: from when on it is not true. Not later than the end it has, nor before it happened: a record that was
            never true ends when it begins.
        moment: from when on it is not believed.
    """
    until = max(at if record.until is None else min(at, record.until), record.at)
    note: dict[str, Any] = {"action": action, "by": list(by)}
    if record.until is not None:
        note["until"] = to_micros(record.until)
    return replace(record, until=until, retired_at=moment, metadata={**record.metadata, ENDED: note})


def before_ending(record: Record) -> Record:
    """A retired record as it was while it was believed; any other as it is."""
    if record.retired_at is None:
        return record
    metadata = dict(record.metadata)
    note = metadata.pop(ENDED, None)
    until = note.get("until") if isinstance(note, dict) else None
    had = from_micros(until) if isinstance(until, int) else None
    if not isinstance(note, dict):
        had = record.until  # Retired by other means: nothing says that it had another end.
    return replace(record, until=had, retired_at=None, metadata=metadata)


def as_believed(record: Record, when: datetime) -> Record:
    """The record as it read at that time: what ended later had its old end then."""
    return before_ending(record) if record.retired_at is not None and when < record.retired_at else record


def was_believed(record: Record, when: datetime) -> bool:
    """Whether it was believed at that time."""
    return was_known(record, when) and (record.retired_at is None or when < record.retired_at)


def was_known(record: Record, when: datetime) -> bool:
    """Whether it had been recorded by that time, whatever became of it."""
    return record.recorded_at is None or record.recorded_at <= when


def was_valid(record: Record, when: datetime) -> bool:
    """Whether it held at that time, by what the record says."""
    return record.at <= when and (record.until is None or when < record.until)


def ended_by(record: Record) -> tuple[str, tuple[str, ...]]:
    """Why a belief ended, and the ids of what took its place; empty for one that has not, or that does not say."""
    note = record.metadata.get(ENDED)
    if record.retired_at is None or not isinstance(note, dict):
        return "", ()
    by = note.get("by")
    ids = tuple(id_ for id_ in by if isinstance(id_, str)) if isinstance(by, list) else ()
    return str(note.get("action", "")), ids


def is_current(record: Record, now: datetime | None = None) -> bool:
    """Whether a search that names no time may find the record: it is believed, and has not expired."""
    return record.retired_at is None and not is_expired(record, now or from_micros(now_micros()))
