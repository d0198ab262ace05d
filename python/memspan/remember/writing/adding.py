"""Write records: embed what is new, then one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memspan import _core
from memspan.arguments import is_listing
from memspan.errors import invalid
from memspan.recipes import Recipe
from memspan.records import Record
from memspan.remember.audit.audit_trail import count_added
from memspan.remember.audit.auditing import enter_added
from memspan.remember.capacity.cold import in_full
from memspan.remember.compose import embedded_text
from memspan.remember.damage import survives_damage
from memspan.remember.embedding import StoreEmbedder
from memspan.remember.endings.lifetimes import Loaded, shorten_derived, with_lifetimes
from memspan.remember.endings.version_room import write_with_versions
from memspan.remember.engine import Engine
from memspan.remember.input.checking import checked_record, checked_vector, require_room_for_changes
from memspan.remember.input.draft import Draft
from memspan.remember.input.tags import given_records
from memspan.remember.jobs.turns import follow_turns
from memspan.remember.writing.change import Change
from memspan.store import StoreReader
from memspan.store.cold import ORIGINAL
from memspan.times import from_micros, now_micros, to_micros

from .settling import settle

__all__ = ["Added", "Advance", "add_checked", "add_drafts", "add_in_batches", "checked_records"]

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


def add_drafts(
    engine: Engine,
    drafts: Sequence[Draft],
    advance: Advance | None = None,
    recipe: Recipe | None = None,
    *,
    within: Callable[[Change], None] | None = None,
    seconds: float | None = None,
    sealing: bool = False,
) -> Added:
    """See `add_checked`."""
    return add_checked(
        engine,
        [draft.record for draft in drafts],
        advance,
        recipe,
        undated={_key(draft.record) for draft in drafts if not draft.dated},
        unnamed={_key(draft.record) for draft in drafts if not draft.named},
        within=within,
        seconds=seconds,
        sealing=sealing,
    )


@survives_damage
def add_checked(
    engine: Engine,
    given: Sequence[Record],
    advance: Advance | None = None,
    recipe: Recipe | None = None,
    *,
    undated: Collection[_Key] = (),
    unnamed: Collection[_Key] = (),
    within: Callable[[Change], None] | None = None,
    seconds: float | None = None,
    sealing: bool = False,
    loading: Loaded | None = None,
    vectors_of: StoreEmbedder | None = None,
) -> Added:
    """Make checked records durable and searchable, with the encode jobs of a recipe, in one transaction.

    Ids have to be unique among the records of a user. Embedding happens before the transaction: nobody waits
    for a model.

    Args:
        given: nobody else has them: what is missing in them is set where they are.
        advance: is told the number of records that are embedded, not those that are committed.
        undated: those whose time the caller left open, so that it is that of the call. One that is there already
            keeps its own.
        unnamed: those whose id was made for this call, so that nobody looks for what is stored under it.
        within: does more in the same transaction, after the records are written.
        seconds: how long they live, unless they say so themselves.
        sealing: whether they are labels of secrets, which nothing else may replace.
        loading: the file that they come from; what is held here stays as it is then, instead of an error.
        vectors_of: the embedder of the store when their vectors were checked. When it has another one since, these
            are left out, and what they belong to is embedded.

    Raises:
        InvalidArgumentError: one would take the place of a secret; nothing was added.
        HeldError: one would take the place of what is held and leave no version, or end it; nothing was added.
        QuotaError: the kind of one is full of what has to stay; nothing was added.
    """
    if not given:
        return Added(0, False)
    engine.require_open()
    embedder = engine.embedder
    if vectors_of is not embedder and vectors_of is not None and vectors_of.identity != embedder.identity:
        given = [replace(record, embedding=None) for record in given]
    embeddings = _embeddings(engine, given, advance, unnamed)
    with engine.changing() as change:
        change.require_made_by(embedder)
        # The index equals the store here and knows the ids without a query.
        contains = change.index.contains
        known = [record for record in given if contains(user=record.user, id=record.id)]
        cold = {} if change.writer.cold.empty else _from_cold(change.writer, _without(given, known))
        existing = {**_existing(change.writer, known), **cold} if known or cold else {}
        moment = from_micros(now_micros())
        settled = settle(
            change,
            given,
            existing,
            moment,
            seconds,
            undated=undated,
            cold=cold,
            full=_in_full(change.writer, existing) if existing else {},
            sealing=sealing,
            loading=loading is not None,
        )
        for record in settled.records:
            embedding = record.embedding
            if embedding is None:
                embedding = embeddings[record.user, record.id]
            _core.complete_record(record, record.recorded_at or moment, embedding)
        records = with_lifetimes(change.writer, settled.records, moment, loading)
        jobs = False
        if records:
            write_with_versions(
                change, _leaving_first(records, existing) if existing else records, settled.versions
            )
            if settled.away:
                change.writer.cold.evict(settled.away, now_micros())
            if existing:
                versions = {
                    (one.user, one.metadata["version_of"]): one.id
                    for one in (*settled.versions, *settled.away)
                }
                _keep_originals_apart(change, records, existing, {**versions, **settled.kept})
                for user, ids in _by_user(settled.unversioned).items():
                    change.writer.runs.forget(user, ids)
            jobs = follow_turns(change, records, existing, recipe)
        # What only lives longer, is pinned or has ended has changed, too.
        written = [*records, *settled.again]
        entered = bool(written) and enter_added(change, written)
        if within is not None:
            within(change)
        if existing:
            settled.restate(change)
            shorten_derived(change, written, existing, loading)
    engine.note_unsaved(len(written))
    if not entered:
        count_added(engine, written)
    return Added(
        len(written),
        jobs,
        sum(change.moved.values()),
        sum(map(len, change.unsourced.values())),
    )


def _embeddings(
    engine: Engine, given: Sequence[Record], advance: Advance | None, unnamed: Collection[_Key]
) -> dict[_Key, NDArray[np.float32]]:
    """An embedding for every record without one: the stored one when the embedded text is the same, or a new one."""
    bare = [record for record in given if record.embedding is None]
    if advance is not None and len(bare) < len(given):
        advance(len(given) - len(bare))
    if not bare:
        return {}
    existing: dict[_Key, Record] = {}
    full: dict[_Key, Record] = {}
    if sought := [record for record in bare if _key(record) not in unnamed]:
        with engine.store.reading() as reader:
            existing = _existing(reader, sought)
            if len(existing) < len(sought):
                existing |= _from_cold(reader, [record for record in sought if _key(record) not in existing])
            full = _in_full(reader, existing)
    found: dict[_Key, NDArray[np.float32]] = {}
    missing: dict[_Key, str] = {}
    for record in bare:
        key, text = _key(record), embedded_text(record)
        for stored in (existing.get(key), full.get(key)):
            if stored is not None and stored.embedding is not None and embedded_text(stored) == text:
                found[key] = stored.embedding
                break
        else:
            missing[key] = text
    if advance is not None and found:
        advance(len(found))
    if missing:
        found.update(zip(missing, engine.embed_texts(list(missing.values()), advance), strict=True))
    return found


def _without(records: Sequence[Record], others: Sequence[Record]) -> Sequence[Record]:
    if not others:
        return records
    keys = set(map(_key, others))
    return [record for record in records if _key(record) not in keys]


def _existing(reader: StoreReader, records: Sequence[Record]) -> dict[_Key, Record]:
    return {
        (user, id_): record
        for user, ids in _by_user(records).items()
        for id_, record in given_records(reader, user, ids, embeddings=True).items()
    }


def _from_cold(reader: StoreReader, records: Sequence[Record]) -> dict[_Key, Record]:
    """What is in the cold tier under the records' ids: it is there still, for whoever adds it again."""
    if reader.cold.empty:
        return {}
    return {
        (user, id_): cold.record
        for user, ids in _by_user(records).items()
        for id_, cold in reader.cold.fetch(user, ids, embeddings=True).items()
    }


def _in_full(reader: StoreReader, existing: Mapping[_Key, Record]) -> dict[_Key, Record]:
    """Those of the records that were shortened, with the wording that they had."""
    by_user: dict[str, dict[str, Record]] = defaultdict(dict)
    for (user, id_), record in existing.items():
        by_user[user][id_] = record
    return {
        (user, id_): record
        for user, records in by_user.items()
        for id_, record in in_full(reader, user, records).items()
    }


def _leaving_first(records: Sequence[Record], existing: Mapping[_Key, Record]) -> Sequence[Record]:
    """Records that leave their kind for another first: else new ones would evict others from where these make room."""
    return sorted(records, key=lambda record: existing.get(_key(record), record).kind == record.kind)


def _keep_originals_apart(
    change: Change, records: Sequence[Record], existing: Mapping[_Key, Record], versions: Mapping[_Key, str]
) -> None:
    """What a record said before it was shortened is not what another text replaces, nor the short one where a caller
    says it: it stays with the version that was shortened, if there is one, of which the ids are given. Where the record
    is still the shortened one, both have it."""
    cold = change.writer.cold
    if cold.empty:
        return
    for record in records:
        user, id_ = key = record.user, record.id
        before = existing.get(key)
        if before is None:
            continue
        if before.text != record.text or _is_shortened(before) > _is_shortened(record):
            if key in versions:
                cold.rename_originals(user, {id_: versions[key]})
            cold.drop(user, [id_], ORIGINAL)
        elif key in versions and _is_shortened(before):
            for copy in cold.fetch(user, [id_], reason=ORIGINAL, embeddings=True).values():
                cold.keep_originals([replace(copy.record, id=versions[key])], to_micros(copy.moved_at))


def _is_shortened(record: Record) -> bool:
    return "compression" in record.metadata


def _by_user(records: Sequence[Record]) -> dict[str, list[str]]:
    by_user: dict[str, list[str]] = defaultdict(list)
    for record in records:
        by_user[record.user].append(record.id)
    return by_user


def _key(record: Record) -> _Key:
    return record.user, record.id


def add_in_batches(
    engine: Engine,
    records: Iterable[Record],
    batch: int,
    advance: Advance | None,
    vectors_of: StoreEmbedder,
) -> int:
    """Add checked records with one transaction a batch, see `add_checked`; returns how many came.

    When the iterable raises, because a record is refused or a file is broken, what came before is committed
    and the error goes on.
    """
    count, coming, more = 0, iter(records), True
    while more:
        piece: list[Record] = []
        error: Exception | None = None
        try:
            piece.extend(islice(coming, batch))  # keeps what comes before an error
        except Exception as raised:
            error = raised
        add_checked(engine, piece, advance, vectors_of=vectors_of)
        if error is not None:
            raise error
        count += len(piece)
        more = len(piece) == batch
    return count


def checked_records(records: Iterable[Record], user: str | None, dim: int) -> Iterator[Record]:
    """Copies in normal form of records that are complete, such as other code or a file made them.

    Raises:
        InvalidArgumentError: names the record by its position and the field; an id comes twice; with `user`,
            a record belongs to another user.
    """
    if not is_listing(records):
        raise invalid("records", records, "an iterable of memspan.Record")
    seen: set[_Key] = set()
    for position, entry in enumerate(records):
        record = _core.normal_record(entry, Record, dim) or _field_by_field(
            entry, f"records[{position}]", dim
        )
        if record.recorded_at is not None:
            require_room_for_changes(record, f"records[{position}]")
        if user is not None and record.user != user:
            raise invalid(f"records[{position}].user", record.user, f"{user!r}, the user of this call")
        key = (record.user, record.id)
        if key in seen:
            raise invalid(f"records[{position}].id", record.id, "ids that differ within one call")
        seen.add(key)
        yield record


def _field_by_field(entry: Record, argument: str, dim: int) -> Record:
    """As `checked_records` of one that is not in normal form already."""
    record = checked_record(entry, argument)
    if record.embedding is None:
        return record
    return replace(record, embedding=checked_vector(record.embedding, dim, f"{argument}.embedding"))
