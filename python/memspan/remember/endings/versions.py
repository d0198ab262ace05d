"""Versions: what a record said before it was overwritten."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np

from memspan.limits import MAX_NAME_BYTES
from memspan.records import Record

from .endings import before_ending, ended, moment_after, with_key
from .life import given_end, is_expired
from .version_ids import VERSION_OF, original_of, version_id

__all__ = ["Overwriting", "overwriting"]

_ROOM: Final = 24
"""Bytes of `@` and of the microseconds of any time, with a sign, and of a distinction."""

# What a record says. How long it lives, and whether it is pinned or held, is said about it.
_SAID: Final = (
    "at", "text", "kind", "until", "session", "speaker", "tags", "entities", "importance", "provenance", "fidelity",
    "sources", "metadata",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Overwriting:
    """What is written when a record comes under an id that is known."""

    record: Record
    version: Record | None
    """What stood there, under an id of its own; `None` when the record says the same, or must leave nothing."""
    again: bool = False
    """Whether the record says what it said before, and only what is said about it changes."""
    kept: str | None = None
    """The id of the version that what stood there is already: another store made one of it, as where both were loaded
    from one export and a later one comes."""


def overwriting(
    record: Record,
    existing: Record,
    now: datetime,
    *,
    lifetimes: Mapping[str, float] | None = None,
    full: Record | None = None,
    there: Callable[[str], Record | None] = lambda id_: None,
) -> Overwriting | None:
    """What has to be written when `record` comes in place of `existing`; `None` when that changes nothing.

    The same words again change neither when they were learnt nor that they are not believed any more, but where a
    version tells that something else was believed in between; a longer or shorter life and a pin are taken over, and so
    is an end, unless they are held. Other words are a new belief, and the old one becomes a version. The vault keeps
    none, nor does what has expired (that is as good as erased, unless it is held; its pin stays), nor an id that leaves
    no room.

    Args:
        record: as a caller gave it, without `recorded_at` or embedding where these are left open.
        existing: with its embedding.
        now: of the transaction.
        lifetimes: seconds by kind that hold for the user; an end that came from there is not taken over.
        full: `existing` as it read before it was shortened: who says that again says nothing new.
        there: what is stored under an id, or is about to be.
    """
    expired = is_expired(existing, now)
    if expired and not (existing.held or existing.pinned):
        return Overwriting(record, None)
    same = _says_the_same(record, existing)
    # Without a vector of what it says now there is nothing to leave in its place.
    if not same and full is not None and existing.embedding is not None and _says_the_same(record, full):
        record, same = _shortened_as(record, existing), True
    end = existing.expires_at if same else given_end(existing, lifetimes or {})
    # Whoever writes a record anew that they had read gives it the end that it has, and with that no end of its own.
    own = None if record.expires_at == existing.expires_at and not expired else record.expires_at
    kept = replace(
        record,
        expires_at=own or (None if expired else end),
        pinned=record.pinned or existing.pinned,
        held=record.held or existing.held,
    )
    if same:
        if _is_believed_later(record, existing):
            id_, is_kept = _free(version_id(existing), existing, there)
            if is_kept:
                embedding = existing.embedding if kept.embedding is None else kept.embedding
                return Overwriting(replace(kept, embedding=embedding), None, kept=id_)
        return _same_again(kept, existing)
    short = len(existing.id.encode()) + _ROOM <= MAX_NAME_BYTES
    gone = expired and not existing.held
    if gone or original_of(existing) is not None or "vault" in (existing.kind, record.kind) or not short:
        return Overwriting(kept, None)
    moment = moment_after([existing], record.recorded_at or now)
    now_stands = replace(kept, recorded_at=moment)
    id_, is_kept = _free(version_id(existing), existing, there)
    if is_kept:
        return Overwriting(now_stands, None, kept=id_)
    version = replace(existing, id=id_, pinned=False)
    if existing.retired_at is None:
        version = ended(version, action="overwrite", by=[existing.id], at=version.at, moment=moment)
    elif existing.retired_at > moment:  # by a clock that went backwards since
        version = replace(version, retired_at=moment)
    return Overwriting(now_stands, with_key(version, VERSION_OF, existing.id))


def _is_believed_later(record: Record, existing: Record) -> bool:
    """Whether a record says when it was learnt, and that it was after what stands there."""
    if record.recorded_at is None or existing.recorded_at is None or existing.retired_at is not None:
        return False
    return record.recorded_at > existing.recorded_at


def _says_the_same(record: Record, existing: Record) -> bool:
    one, other = before_ending(record), before_ending(existing)
    return all(getattr(one, field) == getattr(other, field) for field in _SAID)


def _shortened_as(record: Record, existing: Record) -> Record:
    """What a caller says in full, as it was shortened. The caller's embedding is of the full text."""
    metadata = {**record.metadata, "compression": existing.metadata["compression"]}
    return replace(record, text=existing.text, fidelity=existing.fidelity, metadata=metadata, embedding=None)


def _same_again(kept: Record, existing: Record) -> Overwriting | None:
    """The stored record with what is said about it now."""
    stays = existing.retired_at is not None or existing.held or kept.retired_at is None
    ending = existing if stays else kept
    record = replace(
        existing,
        until=ending.until,
        retired_at=ending.retired_at,
        metadata=ending.metadata,
        expires_at=kept.expires_at,
        pinned=kept.pinned,
        held=kept.held,
        embedding=existing.embedding if kept.embedding is None else kept.embedding,
    )
    fields = ("until", "retired_at", "metadata", "expires_at", "pinned", "held")
    unchanged = all(getattr(record, field) == getattr(existing, field) for field in fields)
    if unchanged and np.array_equal(record.embedding, existing.embedding):  # type: ignore[arg-type]
        return None
    return Overwriting(record, None, again=True)


def _free(id_: str, existing: Record, there: Callable[[str], Record | None]) -> tuple[str, bool]:
    """An id for the version, and whether one of what stood there is under it already."""
    for name in (id_, *(f"{id_}.{number}" for number in range(2, 1000))):
        other = there(name)
        if other is None:
            return name, False
        if (
            original_of(other) == existing.id
            and other.held >= existing.held
            and _says_the_same(other, existing)
        ):
            return name, True
    raise AssertionError("a thousand versions of one microsecond")
