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

__all__ = [
    "COLUMNS",
    "decode_record",
    "embedding_blob",
    "encode_record",
    "pack_embedding",
    "unpack_embedding",
]

COLUMNS: Final = (
    "id", "kind", "at", "until", "recorded_at", "session", "speaker", "importance",
    "provenance", "fidelity", "tags", "entities", "sources", "metadata", "text",
)  # fmt: skip
"""Columns of `records` with the record's own fields, without the embedding, in the order of the codec."""


def embedding_blob(embedding: NDArray[np.float32]) -> NDArray[np.float32]:
    """As little-endian float32, for SQLite to read: the array itself on nearly every machine."""
    return np.ascontiguousarray(embedding, dtype="<f4")


def pack_embedding(embedding: NDArray[np.float32]) -> bytes:
    """Little-endian float32, on every machine."""
    return embedding_blob(embedding).tobytes()


def unpack_embedding(blob: bytes) -> NDArray[np.float32]:
    """Shape (dim,), float32, read-only."""
    return np.frombuffer(blob, dtype="<f4").astype(np.float32, copy=False)


def encode_record(record: Record) -> tuple[Any, ...]:
    """The values of `COLUMNS`. `recorded_at` must be set."""
    assert record.recorded_at is not None
    if (values := _core.encode_record(record)) is not None:
        return values
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


def decode_record(user: str, row: Sequence[Any], embedding: bytes | None = None) -> Record:
    """The record of a row of `COLUMNS`."""
    (id_, kind, at, until, recorded_at, session, speaker, importance, provenance, fidelity, *rest) = row
    tags, entities, sources, metadata, text = rest
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
        metadata={} if metadata == "{}" else json.loads(metadata),
        embedding=None if embedding is None else unpack_embedding(embedding),
    )


def _load_list(text: str) -> tuple[str, ...]:
    # Most lists are empty, and starting the JSON decoder costs more than the rest of the record.
    return () if text == "[]" else tuple(json.loads(text))


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
