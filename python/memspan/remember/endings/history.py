"""Follow what a record said, what it replaced and what replaced it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from memspan.records import Record
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.reports.history import Belief, History
from memspan.store import StoreReader

from .endings import before_ending, ended_by
from .life import is_expired
from .version_ids import original_of

__all__ = ["history"]


def history(engine: Engine, *, user: str, id: str) -> History | None:
    """See `Memory.history`."""
    checked_name(user, "user")
    engine.require_open()
    with engine.store.reading() as reader:
        evicted: dict[str, datetime] = {}
        asked = _kept(reader, user, [checked_name(id, "id")], evicted).get(id)
        if asked is None:
            return None
        name = original_of(asked) or id
        if name != id:
            asked = _kept(reader, user, [name], evicted).get(name, asked)
        earlier = reader.traces.versions(user, [name])
        replaced = _replaced(reader, user, name)
        replacing = _replacing(reader, user, name)
        replacing |= reader.traces.versions(user, replacing)
        records = _kept(reader, user, sorted(earlier | replaced | replacing), evicted)
    readable = [
        record
        for record in records.values()
        # The vault is seen by who names a record of it; what has expired is as good as erased.
        if (record.kind != "vault" or asked.kind == "vault") and not _is_gone(record)
    ]
    own = [record for record in readable if record.id in earlier]
    if asked.id not in earlier and not _is_gone(asked):
        own.append(asked)
    if not own:
        return None
    # After a load, what stands there may have been learnt before versions that another store made.
    versions = sorted(_beliefs(own, evicted), key=lambda belief: belief.record.id == name)
    return History(
        id=name,
        versions=tuple(versions),
        before=_beliefs((record for record in readable if record.id in replaced), evicted),
        after=_beliefs((record for record in readable if record.id in replacing), evicted),
    )


def _kept(
    reader: StoreReader, user: str, ids: Sequence[str], evicted: dict[str, datetime]
) -> dict[str, Record]:
    """Records in memory and in the cold tier, by id; notes of the latter since when they are there."""
    found = reader.fetch(user, ids)
    if not reader.cold.empty:
        for id_, cold in reader.cold.fetch(user, [id_ for id_ in ids if id_ not in found]).items():
            found[id_], evicted[id_] = cold.record, cold.moved_at
    return found


def _replaced(reader: StoreReader, user: str, name: str) -> set[str]:
    """Ids of what a record took the place of, and of what these took the place of, and so on; versions among them."""
    found: set[str] = set()
    reached, frontier = {name}, {name}
    while frontier:
        ends = reader.beliefs.ended(user, frontier)
        found.update(end.id for end in ends if end.record != name)
        frontier = {end.record for end in ends} - reached
        reached |= frontier
    return found


def _replacing(reader: StoreReader, user: str, name: str) -> set[str]:
    """Ids of what took the place of a record, and of what took theirs, and so on."""
    reached, frontier = {name}, {name}
    while frontier:
        ends = reader.beliefs.endings(user, frontier | reader.traces.versions(user, frontier))
        frontier = {new for end in ends if end.record in frontier for new in end.by} - reached
        reached |= frontier
    return reached - {name}


def _is_gone(record: Record) -> bool:
    return is_expired(record)


def _beliefs(records: Iterable[Record], evicted: Mapping[str, datetime]) -> tuple[Belief, ...]:
    beliefs = []
    for record in records:
        assert record.recorded_at is not None
        action, by = ended_by(record)
        beliefs.append(
            Belief(
                record=before_ending(record),
                since=record.recorded_at,
                until=record.retired_at,
                action=action,
                by=by,
                evicted_at=evicted.get(record.id),
            )
        )
    return tuple(sorted(beliefs, key=lambda belief: (belief.since, belief.record.id)))
