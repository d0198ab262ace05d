"""Put stored records into the native index."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memspan.index import Index
from memspan.records import Record

from .compose import lexical_text

__all__ = ["index_records"]


def index_records(index: Index, records: Sequence[Record]) -> None:
    """Insert or replace the records with one native call: all of them or, on an error, none."""
    if not records:
        return
    index.add_many(
        users=[record.user for record in records],
        ids=[record.id for record in records],
        ats=[record.at for record in records],
        texts=[lexical_text(record) for record in records],
        embeddings=np.stack([_embedding(record) for record in records]),
        tags=[record.tags for record in records],
        kinds=[record.kind for record in records],
        untils=[record.until for record in records],
        recorded_ats=[_recorded_at(record) for record in records],
        sessions=[record.session for record in records],
        speakers=[record.speaker for record in records],
        metadatas=[dict(record.metadata) for record in records],
    )


def _recorded_at(record: Record) -> datetime:
    assert record.recorded_at is not None
    return record.recorded_at


def _embedding(record: Record) -> NDArray[np.float32]:
    assert record.embedding is not None
    return record.embedding
