"""List what went to the cold tier, and bring it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_flag, as_integer
from memspan.limits import MAX_K
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.compose import embedded_text
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_kind, checked_name, checked_names
from memspan.remember.input.tags import tagged
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import staying
from memspan.reports.evicted import Evicted
from memspan.store import StoreReader
from memspan.store.cold import ORIGINAL
from memspan.store.sqlite.statements import chunks
from memspan.times import from_micros, now_micros

__all__ = ["evicted", "give_back_uses", "in_full", "original", "restore", "unshortened"]

_PIECE: Final = 1024
"""Records that are brought back at a time: those of one piece are in memory."""


def evicted(engine: Engine, user: str, k: int, kinds: Sequence[str] | None) -> list[Evicted]:
    """See `Memory.evicted`."""
    checked_name(user, "user")
    as_integer(k, "k", 1, MAX_K)
    if kinds is not None:
        kinds = [checked_kind(kind, "kinds") for kind in checked_names(kinds, "kinds")]
    engine.require_open()
    with engine.store.reading() as reader:
        found = reader.cold.latest(user, k, kinds)
        unsourced = reader.cold.unsourced(user, [cold.record.id for cold in found])
    return [
        Evicted(record=cold.record, moved_at=cold.moved_at, last_source_of=unsourced.get(cold.record.id, ()))
        for cold in found
    ]


def original(engine: Engine, user: str, id: str) -> Record | None:
    """See `Memory.original`."""
    checked_name(user, "user")
    checked_name(id, "id")
    engine.require_open()
    with engine.store.reading() as reader:
        found = reader.cold.fetch(user, [id], reason=ORIGINAL, embeddings=True).get(id)
    return None if found is None else found.record


@survives_damage
def restore(engine: Engine, user: str, ids: Sequence[str], *, pin: bool, originals: bool) -> list[str]:
    """See `Memory.restore`."""
    checked_name(user, "user")
    wanted = checked_names(ids, "ids", most=1_000_000)
    as_flag(pin, "pin")
    as_flag(originals, "originals")
    engine.require_open()
    embedder = engine.embedder
    vectors = _missing_vectors(engine, user, wanted, originals)
    restored: list[str] = []
    with engine.changing() as change:
        change.require_made_by(embedder)
        with staying(change) as write:
            for piece in chunks(wanted, _PIECE):
                records = [
                    replace(record, pinned=record.pinned or pin)
                    for record in _restorable(change.writer, user, piece, originals).values()
                    if record.embedding is not None or embedded_text(record) in vectors
                    # Otherwise it came to the cold tier a moment ago.
                ]
                if records:
                    _write_back(
                        change, user, [_embedded(record, vectors) for record in records], write, originals
                    )
                    restored += [record.id for record in records]
                    change.let_go()
        if not restored:
            return []
        audited(change, "restore", user=user, ids=restored, originals=originals, pinned=pin)
    engine.note_unsaved(len(restored))
    return restored


def _missing_vectors(
    engine: Engine, user: str, ids: Sequence[str], originals: bool
) -> dict[str, NDArray[np.float32]]:
    """By text, the vectors of what is to be written and has none that is valid."""
    vectors: dict[str, NDArray[np.float32]] = {}
    for piece in chunks(ids, _PIECE):
        with engine.store.reading() as reader:
            found = _restorable(reader, user, piece, originals)
        if texts := [embedded_text(record) for record in found.values() if record.embedding is None]:
            vectors.update(zip(texts, engine.embed_texts(texts), strict=True))
    return vectors


def _embedded(record: Record, vectors: Mapping[str, NDArray[np.float32]]) -> Record:
    return (
        record if record.embedding is not None else replace(record, embedding=vectors[embedded_text(record)])
    )


def _write_back(
    change: Change,
    user: str,
    records: Sequence[Record],
    write: Callable[[Sequence[Record]], None],
    originals: bool,
) -> None:
    ids = [record.id for record in records]
    made = _made_tags(change.writer, user, ids)
    write(records)
    change.writer.set_made_tags(user, made)
    if originals:
        change.writer.cold.drop(user, ids, ORIGINAL)
    give_back_uses(change, user, ids)


def _restorable(reader: StoreReader, user: str, ids: Sequence[str], originals: bool) -> dict[str, Record]:
    """What is to be written, by id; without an embedding where the store has none that is valid."""
    now = from_micros(now_micros())
    copies = reader.cold.fetch(user, ids, embeddings=True)
    found = {id_: tagged(cold.record, cold.made_tags) for id_, cold in copies.items()}
    live = reader.fetch(user, list(found))
    found = {id_: record for id_, record in found.items() if id_ not in live}
    if originals:
        before = reader.cold.fetch(user, ids, reason=ORIGINAL, embeddings=True)
        after = {**found, **reader.fetch(user, list(before))}
        found |= {id_: _as_before(after.get(id_), cold.record) for id_, cold in before.items()}
    return {
        id_: record for id_, record in found.items() if record.expires_at is None or record.expires_at > now
    }


def _made_tags(reader: StoreReader, user: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    cold = {id_: copy.made_tags for id_, copy in reader.cold.fetch(user, ids).items()}
    return {**cold, **reader.made_tags(user, ids)}


def _as_before(now: Record | None, before: Record) -> Record:
    """The record with the wording that it had; what else became of it since stays."""
    if now is None:
        return before
    metadata = {key: value for key, value in now.metadata.items() if key != "compression"}
    if "compression" in before.metadata:
        metadata["compression"] = before.metadata["compression"]
    return replace(
        now, text=before.text, fidelity=before.fidelity, metadata=metadata, embedding=before.embedding
    )


def in_full(reader: StoreReader, user: str, records: Mapping[str, Record]) -> dict[str, Record]:
    """Those of the records that were shortened, with the wording that they had, where it was kept; with embeddings. No
    query where none was shortened."""
    shortened = [id_ for id_, record in records.items() if "compression" in record.metadata]
    originals = reader.cold.fetch(user, shortened, reason=ORIGINAL, embeddings=True) if shortened else {}
    return {id_: _as_before(records[id_], cold.record) for id_, cold in originals.items()}


def unshortened(
    engine: Engine, user: str, records: Mapping[str, Record], when: datetime
) -> dict[str, Record]:
    """Records with the wording that they had at that time: those that were shortened later with the original, where it
    was kept. No query where none was shortened."""
    shortened = [id_ for id_, record in records.items() if "compression" in record.metadata]
    if not shortened:
        return dict(records)
    with engine.store.reading() as reader:
        originals = reader.cold.fetch(user, shortened, reason=ORIGINAL)
    then = {
        id_: _as_before(records[id_], cold.record) for id_, cold in originals.items() if when < cold.moved_at
    }
    return {**records, **then}


def give_back_uses(change: Change, user: str, ids: Sequence[str]) -> None:
    """Tell the index of the uses that records had before they left it. O(ids)."""
    uses = change.writer.uses.of(user, ids)
    if uses:
        change.apply(
            lambda index: index.set_uses(
                user=user,
                ids=[use.record for use in uses],
                counts=[use.searches for use in uses],
                lasts=[use.last for use in uses],
            ),
            of=tuple,
        )
