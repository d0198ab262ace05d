"""Write records: embed what is new, then one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memspan import _core
from memspan.errors import invalid
from memspan.recipes import Recipe
from memspan.records import Record
from memspan.store import StoreReader
from memspan.store.cold import ORIGINAL
from memspan.times import from_micros, now_micros

from .audit_trail import count_added
from .auditing import enter_added
from .change import Change
from .checking import checked_record, checked_vector
from .compose import embedded_text
from .damage import survives_damage
from .draft import Draft
from .engine import Engine
from .indexing import write_records
from .jobs.turns import follow_turns
from .lifetimes import with_lifetimes
from .settling import settle
from .tags import given_records

__all__ = ["Added", "Advance", "add_drafts", "add_in_batches", "checked_drafts"]

_Key = tuple[str, str]
Advance = Callable[[int], None]


class Added(NamedTuple):
    """What a transaction did."""

    records: int
    """New or changed ones."""
    jobs: bool
    """Whether there is something to process now."""
    evicted: int = 0
    """Records that went to the cold tier, new ones possibly among them."""
    unsourced: int = 0
    """Derived records that so lost their last source."""


@survives_damage
def add_drafts(
    engine: Engine,
    drafts: Sequence[Draft],
    advance: Advance | None = None,
    recipe: Recipe | None = None,
    *,
    within: Callable[[Change], None] | None = None,
    seconds: float | None = None,
) -> Added:
    """Make the drafts durable and searchable, with the encode jobs of a recipe, in one transaction.

    Ids have to be unique among the drafts of a user. Embedding happens before the transaction: nobody waits
    for a model. `advance` is told the number of drafts that are embedded, not those that are committed. `seconds`: how
    long they live, unless they say so themselves. `within` does more in the same transaction, after the records are
    written.
    """
    if not drafts:
        return Added(0, False)
    engine.require_open()
    embeddings = _embeddings(engine, drafts, advance)
    with engine.changing() as change:
        # The index equals the store here and knows the ids without a query.
        known: list[Draft] = []
        new: list[Draft] = []
        for draft in drafts:
            there = change.index.contains(user=draft.record.user, id=draft.record.id)
            (known if there else new).append(draft)
        cold = _from_cold(change.writer, new)
        existing = {**_existing(change.writer, known), **cold}
        moment = from_micros(now_micros())
        settled = settle(change, drafts, existing, moment, seconds, cold=cold)
        for record in settled.records:
            embedding = record.embedding
            if embedding is None:
                embedding = embeddings[record.user, record.id]
            # Drafts are records of our own.
            _core.complete_record(record, record.recorded_at or moment, embedding)
        records = with_lifetimes(change.writer, settled.records, moment)
        jobs, entered = False, False
        if records:
            write_records(change, [*settled.versions, *records])
            _keep_originals_apart(change, records, existing, settled.versions)
            jobs = follow_turns(change, records, existing, recipe)
            entered = enter_added(change, records)
        if within is not None:
            within(change)
        settled.restate(change)
    engine.note_unsaved(len(records) + len(settled.again))
    if not entered:
        count_added(engine, records)
    return Added(
        len(records) + len(settled.again),
        jobs,
        sum(change.moved.values()),
        sum(map(len, change.unsourced.values())),
    )


def _embeddings(
    engine: Engine, drafts: Sequence[Draft], advance: Advance | None
) -> dict[_Key, NDArray[np.float32]]:
    """An embedding for every draft without one: the stored one when the embedded text is the same, or a new one."""
    open_drafts = [draft for draft in drafts if draft.record.embedding is None]
    if advance is not None and len(open_drafts) < len(drafts):
        advance(len(drafts) - len(open_drafts))
    if not open_drafts:
        return {}
    with engine.store.reading() as reader:
        existing = _existing(reader, open_drafts)
        if len(existing) < len(open_drafts):
            existing |= _from_cold(reader, [draft for draft in open_drafts if _key(draft) not in existing])
    found: dict[_Key, NDArray[np.float32]] = {}
    missing: dict[_Key, str] = {}
    for draft in open_drafts:
        key, text = _key(draft), embedded_text(draft.record)
        stored = existing.get(key)
        if stored is not None and stored.embedding is not None and embedded_text(stored) == text:
            found[key] = stored.embedding
        else:
            missing[key] = text
    if advance is not None and found:
        advance(len(found))
    if missing:
        found.update(zip(missing, engine.embedder.documents(list(missing.values()), advance), strict=True))
    return found


def _existing(reader: StoreReader, drafts: Sequence[Draft]) -> dict[_Key, Record]:
    return {
        (user, id_): record
        for user, ids in _by_user(drafts).items()
        for id_, record in given_records(reader, user, ids, embeddings=True).items()
    }


def _from_cold(reader: StoreReader, drafts: Sequence[Draft]) -> dict[_Key, Record]:
    """What is in the cold tier under the drafts' ids: it is there still, for whoever adds it again."""
    if reader.cold.empty:
        return {}
    return {
        (user, id_): cold.record
        for user, ids in _by_user(drafts).items()
        for id_, cold in reader.cold.fetch(user, ids, embeddings=True).items()
    }


def _keep_originals_apart(
    change: Change, records: Sequence[Record], existing: Mapping[_Key, Record], versions: Sequence[Record]
) -> None:
    """What a record said before it was shortened is not what another text replaces: it stays with the version that
    was shortened, if there is one."""
    if change.writer.cold.empty:
        return
    reworded = [
        (record.user, record.id)
        for record in records
        if (before := existing.get((record.user, record.id))) is not None and before.text != record.text
    ]
    for version in versions:
        id_ = version.metadata["version_of"]
        if (version.user, id_) in reworded:
            change.writer.cold.rename_originals(version.user, {id_: version.id})
    for user, id_ in reworded:
        change.writer.cold.drop(user, [id_], ORIGINAL)


def _by_user(drafts: Sequence[Draft]) -> dict[str, list[str]]:
    by_user: dict[str, list[str]] = defaultdict(list)
    for draft in drafts:
        by_user[draft.record.user].append(draft.record.id)
    return by_user


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
        record = _core.normal_record(entry, Record, dim) or checked_record(entry, f"records[{position}]")
        if user is not None and record.user != user:
            raise invalid(f"records[{position}].user", record.user, f"{user!r}, the user of this call")
        if record.embedding is entry.embedding and record.embedding is not None:
            vector = checked_vector(record.embedding, dim, f"records[{position}].embedding")
            record = replace(record, embedding=vector)
        key = (record.user, record.id)
        if key in seen:
            raise invalid(f"records[{position}].id", record.id, "ids that differ within one call")
        seen.add(key)
        yield Draft(record)
