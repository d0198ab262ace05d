"""Compare everything that is kept twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memspan.index import Index
from memspan.records import Record
from memspan.store import StoreReader
from memspan.store.sqlite.statements import chunks

from .damage import survives_damage
from .engine import Engine
from .snapshots import MISSING

__all__ = ["verify"]

_BATCH = 1024
_SLICE = 256
"""Records that are looked at again at a time; writers wait for it."""


@dataclass(slots=True)
class _Doubts:
    """Where the index seemed to be other than the store: others may have written meanwhile."""

    users: set[str] = field(default_factory=set)
    """How many records they have."""
    tags: set[str] = field(default_factory=set)
    """Users whose tags or relations these are."""
    records: dict[str, list[str]] = field(default_factory=dict)
    """Ids by user."""


@survives_damage
def verify(engine: Engine) -> list[str]:
    """See `Memory.verify`."""
    engine.require_open()
    problems = engine.store.check()
    dim = engine.embedder.identity.dim
    with engine.looking(lambda index: index) as (index, reader):
        problems += reader.audit.problems()
        doubts = _Doubts()
        problems += _compare(index, reader, dim, doubts)
        problems += [
            f"database: job {job} names record {id_!r}, which does not exist"
            for job, id_ in reader.jobs.dangling()
        ]
        problems += [
            f"database: {table} name record {id_!r} of user {user!r}, which does not exist"
            for table, user, id_ in reader.traces.dangling()
        ]
    problems += _look_again(engine, doubts)
    snapshot = engine.snapshots.examine(engine.store)
    if isinstance(snapshot, str) and snapshot != MISSING:
        problems.append(f"snapshot {engine.snapshots.path} {snapshot}; the next open rebuilds it")
        engine.discard_snapshot()
    return problems


def _compare(index: Index, reader: StoreReader, dim: int, doubts: _Doubts) -> list[str]:
    """What is wrong with the database; the rest is doubtful."""
    users = reader.users()
    for user in {*users, *index.users()}:
        if _compare_user(index, reader, user):
            doubts.users.add(user)
    for user in users:
        if _compare_tags(index, reader, user):
            doubts.tags.add(user)
    problems = []
    for records in reader.scan(None, _BATCH, embeddings=True):
        for record in records:
            assert record.embedding is not None
            if record.embedding.shape != (dim,):
                problems.append(
                    f"database: the embedding of {_name(record)} has {record.embedding.size} values, not {dim}"
                )
            if not _is_indexed(index, record):
                doubts.records.setdefault(record.user, []).append(record.id)
    return problems


def _look_again(engine: Engine, doubts: _Doubts) -> list[str]:
    """What is still different while nobody writes, a little at a time."""
    problems = []
    for user in sorted(doubts.users):
        with engine.comparing() as (index, reader):
            problems += _compare_user(index, reader, user)
    for user in sorted(doubts.tags):
        with engine.comparing() as (index, reader):
            problems += _compare_tags(index, reader, user)
    for user, ids in doubts.records.items():
        for piece in chunks(ids, _SLICE):
            with engine.comparing() as (index, reader):
                problems += _compare_records(index, reader, user, piece)
    return problems


def _compare_user(index: Index, reader: StoreReader, user: str) -> list[str]:
    indexed = len(index.ids(user=user))
    if not reader.has_user(user):
        known = indexed or index.tags(user=user, retired=True)
        return [f"index: knows user {user!r}, the store does not"] if known else []
    count = reader.count(user)
    return [f"index: user {user!r} has {indexed} records, the store {count}"] if indexed != count else []


def _compare_records(index: Index, reader: StoreReader, user: str, ids: Sequence[str]) -> list[str]:
    return [
        f"index: {_name(record)} is missing or at another time"
        for record in reader.fetch(user, ids).values()
        if not _is_indexed(index, record)
    ]


def _is_indexed(index: Index, record: Record) -> bool:
    return index.locate(user=record.user, id=record.id) == record.at


def _name(record: Record) -> str:
    return f"record {record.id!r} of user {record.user!r}"


def _compare_tags(index: Index, reader: StoreReader, user: str) -> list[str]:
    known = {tag.name: tag for tag in index.tags(user=user, retired=True)}
    stored = reader.tags(user)
    problems = [f"index: user {user!r} lacks the tag {tag!r}" for tag in sorted(stored.difference(known))]
    problems += [
        f"index: user {user!r} has an unknown tag {tag!r}" for tag in sorted(set(known).difference(stored))
    ]
    indexed = {(tag.name, child) for tag in known.values() for child in tag.children}
    wanted = {(relation.parent, relation.child) for relation in reader.relations(user)}
    problems += [f"index: user {user!r} lacks the relation {edge}" for edge in sorted(wanted - indexed)]
    problems += [f"index: user {user!r} has an unknown relation {edge}" for edge in sorted(indexed - wanted)]
    return problems
