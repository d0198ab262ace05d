"""Write records: embed what is new, then one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memspan.errors import invalid
from memspan.records import Record
from memspan.store import StoreReader
from memspan.times import from_micros, now_micros

from .checking import checked_record, checked_vector
from .compose import embedded_text
from .damage import survives_damage
from .draft import Draft
from .engine import Engine
from .indexing import index_records

__all__ = ["Advance", "add_drafts", "add_in_batches", "checked_drafts"]

_Key = tuple[str, str]
Advance = Callable[[int], None]


@survives_damage
def add_drafts(engine: Engine, drafts: Sequence[Draft], advance: Advance | None = None) -> int:
    """Make the drafts durable and searchable, in one transaction; returns how many records were new or
    changed.

    Ids have to be unique among the drafts of a user. Embedding happens before the transaction: nobody waits
    for a model. `advance` is told the number of drafts that are embedded, not those that are committed.
    """
    if not drafts:
        return 0
    engine.require_open()
    embeddings = _embeddings(engine, drafts, advance)
    with engine.changing() as change:
        existing = _existing(change.writer, drafts)
        moment = from_micros(now_micros())
        records = []
        for draft in drafts:
            key = _key(draft)
            record = draft.settled(existing.get(key))
            if record is not None:
                recorded_at = record.recorded_at or moment
                records.append(replace(record, recorded_at=recorded_at, embedding=embeddings[key]))
        if records:
            change.writer.put(records)
            change.apply(lambda index: index_records(index, records))
    engine.note_unsaved(len(records))
    return len(records)


def _embeddings(
    engine: Engine, drafts: Sequence[Draft], advance: Advance | None
) -> dict[_Key, NDArray[np.float32]]:
    """An embedding for every draft: the caller's, the stored one when the embedded text is the same, or a new one."""
    with engine.store.reading() as reader:
        existing = _existing(reader, drafts)
    found: dict[_Key, NDArray[np.float32]] = {}
    missing: dict[_Key, str] = {}
    for draft in drafts:
        key, text = _key(draft), embedded_text(draft.record)
        stored = existing.get(key)
        if draft.record.embedding is not None:
            found[key] = draft.record.embedding
        elif stored is not None and stored.embedding is not None and embedded_text(stored) == text:
            found[key] = stored.embedding
        else:
            missing[key] = text
    if advance is not None and found:
        advance(len(found))
    if missing:
        found.update(zip(missing, engine.embedder.documents(list(missing.values()), advance), strict=True))
    return found


def _existing(reader: StoreReader, drafts: Sequence[Draft]) -> dict[_Key, Record]:
    by_user: dict[str, list[str]] = defaultdict(list)
    for draft in drafts:
        by_user[draft.record.user].append(draft.record.id)
    return {
        (user, id_): record
        for user, ids in by_user.items()
        for id_, record in reader.fetch(user, ids, embeddings=True).items()
    }


def _key(draft: Draft) -> _Key:
    return draft.record.user, draft.record.id


def add_in_batches(engine: Engine, drafts: Iterable[Draft], batch: int, advance: Advance | None) -> int:
    """Add drafts with one transaction a batch; returns how many came.

    When the iterable raises, because a record is refused or a file is broken, what came before is committed
    and the error goes on.
    """
    count = 0
    for piece, error in _batches(drafts, batch):
        add_drafts(engine, piece, advance)
        count += len(piece)
        if error is not None:
            raise error
    return count


def _batches(drafts: Iterable[Draft], size: int) -> Iterator[tuple[list[Draft], Exception | None]]:
    batch: list[Draft] = []
    try:
        for draft in drafts:
            batch.append(draft)
            if len(batch) == size:
                yield batch, None
                batch = []
    except Exception as error:
        yield batch, error
        return
    yield batch, None


def checked_drafts(records: Iterable[Record], user: str | None, dim: int) -> Iterator[Draft]:
    """Drafts of records that are complete, such as other code or a file made them.

    Raises:
        InvalidArgumentError: names the record by its position and the field; an id comes twice; with `user`,
            a record belongs to another user.
    """
    if isinstance(records, (str, bytes, Mapping)) or not isinstance(records, Iterable):
        raise invalid("records", records, "an iterable of memspan.Record")
    seen: set[_Key] = set()
    for position, entry in enumerate(records):
        argument = f"records[{position}]"
        record = checked_record(entry, argument)
        if user is not None and record.user != user:
            raise invalid(f"{argument}.user", record.user, f"{user!r}, the user of this call")
        if record.embedding is not None:
            record = replace(record, embedding=checked_vector(record.embedding, dim, f"{argument}.embedding"))
        if (record.user, record.id) in seen:
            raise invalid(f"{argument}.id", record.id, "ids that differ within one call")
        seen.add((record.user, record.id))
        yield Draft(record)
