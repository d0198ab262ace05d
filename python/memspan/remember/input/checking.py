"""Check whole records before anything is changed."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_array, as_flag
from memspan.errors import EmbeddingError, TimeError, invalid
from memspan.limits import MAX_GIVEN_METADATA_BYTES, MAX_METADATA_BYTES, MAX_TEXT_BYTES
from memspan.records import Record
from memspan.remember.compose import captions_of, lexical_text
from memspan.times import MAX_MICROS, TimeLike, from_micros, to_likely_micros

from .fields import (
    checked_fraction,
    checked_kind,
    checked_metadata,
    checked_name,
    checked_names,
    checked_text,
    optional_name,
)
from .tags import checked_tags

__all__ = ["checked_record", "checked_vector", "require_room_for_changes"]

_LAST_RECORDED: Final = from_micros(MAX_MICROS - 3_600_000_000)
"""Each change of a record is recorded after the one before it: an hour of microseconds is left for them."""


def checked_record(record: Record, argument: str, *, noted: bool = False) -> Record:
    """The record in normal form: UTC times, normalised tags, copied metadata, no empty names.

    Args:
        argument: what callers know the record by; empty where they gave its fields.
        noted: whether its metadata may hold notes of the library's, as that of one that is retired may.

    Raises:
        InvalidArgumentError: some field is not acceptable; the message starts with `argument` and the field.
        TimeError: a time is not acceptable, or `until` lies before `at`.
    """
    if not isinstance(record, Record):
        raise invalid(argument, record, "a memspan.Record")

    def named(field: str) -> str:
        return f"{argument}.{field}" if argument else field

    at = to_likely_micros(record.at, named("at"))
    until = None if record.until is None else to_likely_micros(record.until, named("until"))
    if until is not None and until < at:
        raise invalid(named("until"), record.until, "a time not before `at`")
    text = checked_text(record.text, named("text"))
    most = MAX_METADATA_BYTES if noted or record.retired_at is not None else MAX_GIVEN_METADATA_BYTES
    metadata = checked_metadata(record.metadata, named("metadata"), most)
    captions = captions_of(metadata)
    if not text.strip() and not captions:
        raise invalid(named("text"), record.text, "text that is not blank, or image captions")
    checked = Record(
        id=checked_name(record.id, named("id")),
        user=checked_name(record.user, named("user")),
        text=text,
        at=from_micros(at),
        kind=checked_kind(record.kind, named("kind")),
        until=None if until is None else from_micros(until),
        recorded_at=_moment(record.recorded_at, named("recorded_at")),
        session=optional_name(record.session, named("session")),
        speaker=optional_name(record.speaker, named("speaker")),
        tags=checked_tags(record.tags, named("tags")),
        entities=checked_names(record.entities, named("entities")),
        importance=None
        if record.importance is None
        else checked_fraction(record.importance, named("importance")),
        provenance=optional_name(record.provenance, named("provenance"), 4096),
        fidelity=checked_fraction(record.fidelity, named("fidelity"), above_zero=True),
        sources=checked_names(record.sources, named("sources")),
        metadata=metadata,
        retired_at=_moment(record.retired_at, named("retired_at")),
        expires_at=_moment(record.expires_at, named("expires_at")),
        pinned=as_flag(record.pinned, named("pinned")),
        held=as_flag(record.held, named("held")),
        embedding=record.embedding,
    )
    if len(lexical_text(checked).encode()) > MAX_TEXT_BYTES:
        raise invalid(
            named("text"), text, f"text of at most {MAX_TEXT_BYTES} bytes with speaker, date and captions"
        )
    return checked


def _moment(value: TimeLike | None, argument: str) -> Any:
    return None if value is None else from_micros(to_likely_micros(value, argument))


def require_room_for_changes(record: Record, argument: str) -> None:
    """Refuse a checked record that is recorded so late that no time is left after it.

    Raises:
        TimeError: names the field.
    """
    if record.recorded_at is not None and record.recorded_at > _LAST_RECORDED:
        accepted = f"a time up to {_LAST_RECORDED.isoformat()}, after which a change can be recorded"
        raise invalid(f"{argument}.recorded_at", record.recorded_at, accepted, TimeError)


def checked_vector(value: Any, dim: int, argument: str) -> NDArray[np.float32]:
    """A copy of an embedding as float32 of shape (dim,).

    Raises:
        EmbeddingError: another shape, not numbers, NaN, infinity or only zeros.
    """
    accepted = f"{dim} finite numbers, not all zero"
    array = as_array(value, argument, accepted)
    try:
        with np.errstate(over="ignore"):
            vector = np.array(array, dtype=np.float32)
    except (TypeError, ValueError):
        raise invalid(argument, value, accepted, EmbeddingError) from None
    if vector.shape != (dim,):
        raise invalid(argument, f"shape {vector.shape}", accepted, EmbeddingError)
    # In float64 neither overflow nor underflow can hide behind the sum of squares of float32 values.
    if not np.isfinite(vector).all() or float(np.square(vector.astype(np.float64)).sum()) == 0.0:
        raise invalid(argument, vector, accepted, EmbeddingError)
    vector.setflags(write=False)
    return vector
