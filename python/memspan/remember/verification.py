"""Compare everything that is kept twice."""

from __future__ import annotations

from memspan.index import Index
from memspan.store import StoreReader

from .damage import survives_damage
from .engine import Engine
from .snapshots import MISSING

__all__ = ["verify"]

_BATCH = 1024


@survives_damage
def verify(engine: Engine) -> list[str]:
    """See `Memory.verify`."""
    engine.require_open()
    problems = engine.store.check()
    dim = engine.embedder.identity.dim
    with engine.looking(lambda index: index) as (index, reader):
        problems += reader.audit.problems()
        different = _compare(index, reader, dim)
        problems += [
            f"database: job {job} names record {id_!r}, which does not exist"
            for job, id_ in reader.jobs.dangling()
        ]
        problems += [
            f"database: {table} name record {id_!r} of user {user!r}, which does not exist"
            for table, user, id_ in reader.traces.dangling()
        ]
    if different:
        # Others may have written meanwhile. Who waits now while all is compared again does so for good reason.
        with engine.comparing() as (index, reader):
            problems += _compare(index, reader, dim)
    snapshot = engine.snapshots.examine(engine.store)
    if isinstance(snapshot, str) and snapshot != MISSING:
        problems.append(f"snapshot {engine.snapshots.path} {snapshot}; the next open rebuilds it")
        engine.discard_snapshot()
    return problems


def _compare(index: Index, reader: StoreReader, dim: int) -> list[str]:
    problems = _compare_users(index, reader)
    for user in reader.users():
        problems += _compare_tags(index, reader, user)
    return problems + _compare_records(index, reader, dim)


def _compare_users(index: Index, reader: StoreReader) -> list[str]:
    stored = {user: reader.count(user) for user in reader.users()}
    unknown = sorted(set(index.users()).difference(stored))
    problems = [f"index: knows user {user!r}, the store does not" for user in unknown]
    for user, count in stored.items():
        indexed = len(index.ids(user=user))
        if indexed != count:
            problems.append(f"index: user {user!r} has {indexed} records, the store {count}")
    return problems


def _compare_records(index: Index, reader: StoreReader, dim: int) -> list[str]:
    problems = []
    for records in reader.scan(None, _BATCH, embeddings=True):
        for record in records:
            name = f"record {record.id!r} of user {record.user!r}"
            assert record.embedding is not None
            if record.embedding.shape != (dim,):
                problems.append(
                    f"database: the embedding of {name} has {record.embedding.size} values, not {dim}"
                )
            if index.locate(user=record.user, id=record.id) != record.at:
                problems.append(f"index: {name} is missing or at another time")
    return problems


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
