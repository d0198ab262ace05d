"""Records as rows and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan import _core
from memspan.records import Record
from memspan.times import from_micros, to_micros

from .sqlite.malformed import reads

__all__ = [
    "COLUMNS",
    "ROW_COLUMNS",
    "ROW_PLACES",
    "STATE_COLUMNS",
    "decode_record",
    "embedding_blob",
    "encode_record",
    "encode_rows",
    "encode_state",
    "has_state",
    "pack_embedding",
    "unpack_embedding",
]

_NO_TIME: Final = -(1 << 63)
_NO_NUMBER: Final = -1.0
_ABSENT: Final[dict[str, Any]] = {
    "until": _NO_TIME, "session": "", "speaker": "", "importance": _NO_NUMBER, "provenance": "",
}  # fmt: skip
"""What is passed for `None`: values that no record has. `sqlite3` takes a long way for a None."""

COLUMNS: Final = (
    "id", "kind", "at", "until", "recorded_at", "session", "speaker", "importance",
    "provenance", "fidelity", "tags", "entities", "sources", "metadata", "text",
)  # fmt: skip
"""Columns of `records` with the record's own fields, without the embedding, in the order of the codec."""

STATE_COLUMNS: Final = ("retired_at", "expires_at", "pinned", "held")
"""Columns of `record_states`, which has a row for the few records that `has_state`."""

ROW_COLUMNS: Final = ("pk", "user_pk", "sequence", "embedding", *COLUMNS)
"""Columns of `encode_rows`."""

ROW_PLACES: Final = ", ".join(
    f"NULLIF(?, {_ABSENT[column]!r})" if column in _ABSENT else "?" for column in ROW_COLUMNS
)
"""The places of `encode_rows`' values in a statement."""

_DECODE: Final = json.JSONDecoder().raw_decode


def embedding_blob(embedding: NDArray[np.float32]) -> NDArray[np.float32]:
    """As little-endian float32, for SQLite to read: the array itself on nearly every machine."""
    return np.ascontiguousarray(embedding, dtype="<f4")


def pack_embedding(embedding: NDArray[np.float32]) -> bytes:
    """Little-endian float32, on every machine."""
    return embedding_blob(embedding).tobytes()


def unpack_embedding(blob: bytes) -> NDArray[np.float32]:
    """Shape (dim,), float32, read-only.

    Raises:
        ValueError: these are no numbers.
    """
    return np.frombuffer(blob, dtype="<f4").astype(np.float32, copy=False)


def encode_record(record: Record) -> tuple[Any, ...]:
    """The values of `COLUMNS`. `recorded_at` must be set."""
    assert record.recorded_at is not None
    return (
        record.id,
        record.kind,
        to_micros(record.at),
        None if record.until is None else to_micros(record.until),
        to_micros(record.recorded_at),
        record.session,
        record.speaker,
        record.importance,
        record.provenance,
        record.fidelity,
        _dump(record.tags),
        _dump(record.entities),
        _dump(record.sources),
        _dump(dict(record.metadata)),
        record.text,
    )


def has_state(record: Record) -> bool:
    """Whether there is something to say in `record_states`."""
    return record.pinned or record.held or record.retired_at is not None or record.expires_at is not None


def encode_state(record: Record) -> tuple[Any, ...]:
    """The values of `STATE_COLUMNS`."""
    return (
        None if record.retired_at is None else to_micros(record.retired_at),
        None if record.expires_at is None else to_micros(record.expires_at),
        int(record.pinned),
        int(record.held),
    )


def encode_rows(
    records: Sequence[Record], user_pks: dict[str, int], first_pk: int, sequence: int
) -> list[tuple[Any, ...]]:
    """The values of `ROW_COLUMNS` for each record, for `ROW_PLACES`; keys count up. Every record is complete."""
    rows: list[Any] = _core.encode_rows(list(records), user_pks, first_pk, sequence)
    if None in rows:
        for i, record in enumerate(records):
            if rows[i] is None:
                rows[i] = _encode_row(record, user_pks, first_pk + i, sequence)
    return rows


def _encode_row(record: Record, user_pks: dict[str, int], pk: int, sequence: int) -> tuple[Any, ...]:
    assert record.embedding is not None
    values = (
        _ABSENT[column] if value is None and column in _ABSENT else value
        for column, value in zip(COLUMNS, encode_record(record), strict=True)
    )
    return (pk, user_pks[record.user], sequence, bytearray(pack_embedding(record.embedding)), *values)


@reads("record")
def decode_record(user: str, row: Sequence[Any], embedding: bytes | None = None) -> Record:
    """The record of a row of `COLUMNS` and `STATE_COLUMNS`; all of the latter are `None` without a state.

    Raises:
        Malformed: a value is of another form.
    """
    (id_, kind, at, until, recorded_at, session, speaker, importance, provenance, fidelity, *rest) = row
    tags, entities, sources, metadata, text, retired_at, expires_at, pinned, held = rest
    return Record(
        id=id_,
        user=user,
        text=text,
        at=from_micros(at),
        kind=kind,
        until=None if until is None else from_micros(until),
        recorded_at=from_micros(recorded_at),
        session=session,
        speaker=speaker,
        tags=_load_list(tags),
        entities=_load_list(entities),
        importance=importance,
        provenance=provenance,
        fidelity=fidelity,
        sources=_load_list(sources),
        metadata={} if metadata == "{}" else _parsed(metadata),
        retired_at=None if retired_at is None else from_micros(retired_at),
        expires_at=None if expires_at is None else from_micros(expires_at),
        pinned=bool(pinned),
        held=bool(held),
        embedding=None if embedding is None else unpack_embedding(embedding),
    )


def _parsed(text: str) -> Any:
    """As `json.loads`, which for short texts takes twice as long: it looks for marks and white space first."""
    value, end = _DECODE(text)
    return value if end == len(text) else json.loads(text)


def _load_list(text: str) -> tuple[str, ...]:
    # Most lists are empty, and starting the JSON decoder costs more than the rest of the record.
    return () if text == "[]" else tuple(_parsed(text))


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
