"""Put stored records into the native index."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan.base.both import both
from memspan.index import Index
from memspan.records import Record
from memspan.remember.capacity.quota_settings import drop_outlived_quotas
from memspan.remember.compose import lexical_text
from memspan.remember.endings.life import is_expired
from memspan.times import from_micros, now_micros

from .change import Change, keys_of

__all__ = ["evict", "index_records", "staying", "write_records"]

_MANY: Final = 256
"""Records for which a thread is worth starting."""


def index_records(index: Index, records: Sequence[Record]) -> None:
    """Insert or replace the records with one native call: all of them or, on an error, none."""
    if records:
        # The store is within its quotas, or about to be brought there by whoever writes to it.
        index.add_many(**_columns(records), evict=False)


def write_records(change: Change, records: Sequence[Record]) -> None:
    """Put the records into the store and the index of a change; many into both at once.

    Where they fill a kind beyond its quota others go to the cold tier at the end of the change, or some of them. What
    is written here is not in the cold tier any more. What comes and is over already (a version, say) goes itself before
    anything does that is not.

    What the index refuses raises, and then the change is rolled back.
    """
    _prepare(change, records)
    over = _come_over(change.index, records)
    if not over:
        _write(change, records)
        return
    keys = {(record.user, record.id) for record in over}
    if rest := [record for record in records if (record.user, record.id) not in keys]:
        _write(change, rest)
    _put(change, over)
    change.apply(lambda index: index_records(index, over), of=keys_of(over))
    for user in dict.fromkeys(record.user for record in over):
        evict(change, user)


@contextmanager
def staying(change: Change) -> Iterator[Callable[[Sequence[Record]], None]]:
    """Gives what writes records as `write_records` does, but that all of them stay until the end of the block, whatever
    has to make room for them."""
    loose: dict[str, list[str]] = {}
    yield partial(_write_staying, change, loose)
    for user, ids in loose.items():
        change.apply(partial(Index.pin, user=user, ids=ids, pinned=False), atomic=False, of=tuple)


def evict(change: Change, user: str, most: int | None = None) -> int:
    """Let the index bring a user within their quotas, by at most so many records; returns how many went."""

    def go(index: Index) -> int:
        gone = index.evict(user=user) if most is None else index.evict(user=user, most=most)
        change.evicted += [(user, id_) for id_ in gone]
        return len(gone)

    return change.apply(go, of=tuple)


def _come_over(index: Index, records: Sequence[Record]) -> list[Record]:
    """Those that are new to the index and retired or expired already: of these the index would let none go for
    another, as they come last."""
    ending = [record for record in records if record.retired_at is not None or record.expires_at is not None]
    if not ending:
        return []
    now = from_micros(now_micros())
    return [
        record
        for record in ending
        if (record.retired_at is not None or is_expired(record, now))
        and not (record.pinned or record.held)
        and not index.contains(user=record.user, id=record.id)
    ]


def _prepare(change: Change, records: Sequence[Record]) -> None:
    if not change.writer.cold.empty:
        _take_out_of_cold(change, records)
    users = {record.user for record in records}
    drop_outlived_quotas(change.index, change.writer, users)
    change.keep_uses(users)


def _write(change: Change, records: Sequence[Record]) -> None:
    if len(records) == 1:
        (record,) = records
        _put(change, records)
        change.apply(partial(_add, change, record), of=keys_of(records))
    else:
        _write_columns(change, records, _columns(records))


def _write_staying(change: Change, loose: dict[str, list[str]], records: Sequence[Record]) -> None:
    """While they are pinned they make others go, and none of themselves."""
    _prepare(change, records)
    columns = _columns(records)
    for user, id_, pinned in zip(
        columns["users"], columns["ids"], columns["pins"] or [False] * len(records), strict=True
    ):
        if not pinned:
            loose.setdefault(user, []).append(id_)
    _write_columns(change, records, {**columns, "pins": [True] * len(records)})


def _write_columns(change: Change, records: Sequence[Record], columns: dict[str, Any]) -> None:
    if len(records) < _MANY:
        _put(change, records)
        _add_many(change, records, columns)
        return
    # Both release the GIL nearly all the time: this takes as long as the slower of the two.
    both(partial(_put, change, records), partial(_add_many, change, records, columns))


def _put(change: Change, records: Sequence[Record]) -> None:
    change.writer.put(records)
    if change.tokens is not None:
        change.tokens.write(change.writer, records)


def _take_out_of_cold(change: Change, records: Sequence[Record]) -> None:
    by_user: dict[str, list[str]] = {}
    for record in records:
        by_user.setdefault(record.user, []).append(record.id)
    for user, ids in by_user.items():
        change.writer.cold.drop(user, ids)


def _add_many(change: Change, records: Sequence[Record], columns: dict[str, Any]) -> None:
    def add(index: Index) -> None:
        change.evicted += index.add_many(**columns)

    change.apply(add, of=keys_of(records))


def _add(change: Change, record: Record, index: Index) -> None:
    assert record.embedding is not None
    assert record.recorded_at is not None
    evicted = index.add(
        user=record.user,
        id=record.id,
        at=record.at,
        text=lexical_text(record),
        embedding=record.embedding,
        tags=record.tags,
        kind=record.kind,
        until=record.until,
        recorded_at=record.recorded_at,
        session=record.session,
        speaker=record.speaker,
        metadata=_plain(record.metadata),
        importance=record.importance,
        pinned=record.pinned or record.held,
        retired_at=record.retired_at,
        expires_at=record.expires_at,
    )
    change.evicted += [(record.user, id_) for id_ in evicted]


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
        "metadatas": [_plain(record.metadata) for record in records],
        "importances": _if_any([record.importance for record in records]),
        "pins": _if_any([record.pinned or record.held for record in records], False),
        "retired_ats": _if_any([record.retired_at for record in records]),
        "expires_ats": _if_any([record.expires_at for record in records]),
    }


def _plain(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return metadata if type(metadata) is dict else dict(metadata)


def _if_any(values: list[Any], absent: Any = None) -> list[Any] | None:
    """The column, or `None` for one that says nothing of any record."""
    return None if values.count(absent) == len(values) else values


def _recorded_at(record: Record) -> datetime:
    assert record.recorded_at is not None
    return record.recorded_at


def _embedding(record: Record) -> NDArray[np.float32]:
    assert record.embedding is not None
    return record.embedding
