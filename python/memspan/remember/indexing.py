"""Put stored records into the native index."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan.index import Index
from memspan.records import Record

from .compose import lexical_text

if TYPE_CHECKING:
    from .engine import Change

__all__ = ["index_records", "write_records"]

_MANY: Final = 256
"""Records for which a thread is worth starting."""


def index_records(index: Index, records: Sequence[Record]) -> None:
    """Insert or replace the records with one native call: all of them or, on an error, none."""
    if records:
        index.add_many(**_columns(records))


def write_records(change: Change, records: Sequence[Record]) -> None:
    """Put the records into the store and the index of a change; many into both at once.

    What the index refuses raises, and then the change is rolled back.
    """
    if len(records) == 1:
        (record,) = records
        change.writer.put(records)
        change.apply(lambda index: _add(index, record))
        return
    columns = _columns(records)
    if len(records) < _MANY:
        change.writer.put(records)
        change.apply(lambda index: index.add_many(**columns))
        return
    failures: list[BaseException] = []

    def fill() -> None:
        try:
            change.apply(lambda index: index.add_many(**columns))
        except BaseException as failure:
            failures.append(failure)

    # Both release the GIL nearly all the time: this takes as long as the slower of the two.
    filling = threading.Thread(target=fill)
    filling.start()
    try:
        change.writer.put(records)
    finally:
        filling.join()
    if failures:
        raise failures[0]


def _add(index: Index, record: Record) -> None:
    index.add(
        user=record.user,
        id=record.id,
        at=record.at,
        text=lexical_text(record),
        embedding=_embedding(record),
        tags=record.tags,
        kind=record.kind,
        until=record.until,
        recorded_at=_recorded_at(record),
        session=record.session,
        speaker=record.speaker,
        metadata=dict(record.metadata),
        importance=record.importance,
        pinned=record.pinned or record.held,
        retired_at=record.retired_at,
        expires_at=record.expires_at,
    )


def _columns(records: Sequence[Record]) -> dict[str, Any]:
    return {
        "users": [record.user for record in records],
        "ids": [record.id for record in records],
        "ats": [record.at for record in records],
        "texts": [lexical_text(record) for record in records],
        "embeddings": [_embedding(record) for record in records],
        "tags": [record.tags for record in records],
        "kinds": [record.kind for record in records],
        "untils": [record.until for record in records],
        "recorded_ats": [_recorded_at(record) for record in records],
        "sessions": [record.session for record in records],
        "speakers": [record.speaker for record in records],
        "metadatas": [dict(record.metadata) for record in records],
        "importances": [record.importance for record in records],
        "pins": [record.pinned or record.held for record in records],
        "retired_ats": [record.retired_at for record in records],
        "expires_ats": [record.expires_at for record in records],
    }


def _recorded_at(record: Record) -> datetime:
    assert record.recorded_at is not None
    return record.recorded_at


def _embedding(record: Record) -> NDArray[np.float32]:
    assert record.embedding is not None
    return record.embedding
