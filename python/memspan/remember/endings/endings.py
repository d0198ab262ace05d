"""How beliefs end: what a record gets when it is retired, and how it read before.

There are two axes of time (Snodgrass 1999). `at` .. `until` is when something was true, `recorded_at` .. `retired_at`
when it was believed. A record that is retired stays as it is and gets two times: `retired_at`, and an `until` not later
than the one it had. What it had is kept under `ended` in its metadata, with why it ended and what took its place:
`{"action": "update", "by": ["id", ...], "until": microseconds}`, the last only if there was an end. The core reads
it there for searches that name both times. What ended for a memory that took over its sources, tags or entities says so
under `gave` (`gifts.py`). What a caller had under a key that the library needs lies in the note, too,
under `own`: it is given back wherever the record reads as it did before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from memspan.limits import MAX_JSON_DEPTH
from memspan.records import Record
from memspan.times import MAX_MICROS, MIN_MICROS, from_micros, now_micros, to_micros

from .version_ids import VERSION_OF, original_of

__all__ = [
    "ENDED",
    "GAVE",
    "OWN",
    "REPLACES",
    "as_believed",
    "before_ending",
    "ended",
    "ended_by",
    "moment_after",
    "was_believed",
    "was_known",
    "was_valid",
    "with_key",
]

ENDED: Final = "ended"
"""The key of the metadata that says how a belief ended."""

GAVE: Final = "gave"
"""The key of that note with what took its place took over from it, by the field."""

OWN: Final = "own"
"""The key of that note with what a caller had under keys of the library's."""

REPLACES: Final = "replaces"
"""The key of the metadata with the ids of the records that one was made to take the place of."""

_TICK: Final = timedelta(microseconds=1)
_LAST: Final = from_micros(MAX_MICROS)
_LEVELS: Final = MAX_JSON_DEPTH - 3
"""How deep a value may be nested that moves from metadata into the note, two levels down."""


def moment_after(records: Iterable[Record], now: datetime | None = None) -> datetime:
    """Now, or a microsecond after the last of these records was recorded: when what is believed changes.

    A clock that went backwards would otherwise let a belief end before it began, and `as_of` find two of a record or
    none. After the last moment that there is comes none: what was recorded then was never believed once it has ended.

    Args:
        now: the time to go by; `None` for that of the clock.
    """
    recorded = (record.recorded_at for record in records)
    latest = max((at for at in recorded if at is not None), default=None)
    moment = from_micros(now_micros()) if now is None else now
    if latest is None:
        return moment
    return max(moment, latest + _TICK) if latest < _LAST else _LAST


def ended(
    record: Record,
    *,
    action: str,
    by: Sequence[str],
    at: datetime,
    moment: datetime,
    gave: Mapping[str, Sequence[str]] | None = None,
) -> Record:
    """The record as it is when nobody believes it any more.

    Args:
        action: why: `merge`, `update` or `retire` in sleep or by hand, `supersede`, `overwrite`, `undo`.
        by: ids of what took its place or speaks against it.
        at: from when on it is not true. Not later than the end it has, nor before it happened: a record that was
            never true ends when it begins.
        moment: from when on it is not believed.
        gave: what took its place took over from it, by the field.
    """
    until = max(at if record.until is None else min(at, record.until), record.at)
    note = _note(record, action, by)
    noted = with_key(record, ENDED, {**note, GAVE: gave} if gave else note)
    return replace(noted, until=until, retired_at=moment)


def with_key(record: Record, key: str, value: Any) -> Record:
    """The record with something of the library's in its metadata: its note, or a key beside it. What a caller had there
    goes into the note, but for what is nested so deep that it could not lie there."""
    metadata = {**record.metadata, key: value}
    had = record.metadata.get(key)
    # What looks like a note was one, of a record that somebody wrote anew: it is nothing that a caller would miss.
    if key in record.metadata and not _is_note(had) and _fits(had, _LEVELS):
        note = metadata[ENDED] if _is_note(metadata.get(ENDED)) else None
        if note is None:
            # Retired by other means: without a note there is nowhere to keep it.
            return with_key(with_key(record, ENDED, _note(record, "", ())), key, value)
        metadata[ENDED] = {**note, OWN: {**note.get(OWN, {}), key: had}}
    return replace(record, metadata=metadata)


def before_ending(record: Record) -> Record:
    """A retired record as it was while it was believed, with all that its caller had in its metadata and nothing of the
    library's; any other as it is."""
    if record.retired_at is None:
        return record
    metadata = dict(record.metadata)
    note = metadata.get(ENDED)
    # Retired by other means: nothing says that it had another end.
    had = _time(note.get("until")) if isinstance(note, Mapping) else record.until
    if original_of(record) is not None:
        del metadata[VERSION_OF]
    if isinstance(note, Mapping) and _is_note(note):
        del metadata[ENDED]
        own = note.get(OWN)
        if isinstance(own, Mapping):
            metadata |= {key: own[key] for key in (ENDED, VERSION_OF) if key in own}
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


def _note(record: Record, action: str, by: Sequence[str]) -> dict[str, Any]:
    note: dict[str, Any] = {"action": action, "by": list(by)}
    if record.until is not None:
        note["until"] = to_micros(record.until)
    return note


def _is_note(value: Any) -> bool:
    """Whether it is the library's, and not a caller's own value of that name."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("action"), str)
        and isinstance(value.get("by"), Sequence)
        and not isinstance(value["by"], str)
    )


def _fits(value: Any, levels: int) -> bool:
    if levels == 0:
        return False
    if isinstance(value, Mapping):
        value = list(value.values())
    parts = value if isinstance(value, list) else []
    return all(_fits(part, levels - 1) for part in parts)


def _time(micros: Any) -> datetime | None:
    """What a note says of an end; `None` where it says none, or what is no time: metadata are the caller's to write."""
    is_time = isinstance(micros, int) and not isinstance(micros, bool) and MIN_MICROS <= micros <= MAX_MICROS
    return from_micros(micros) if is_time else None
