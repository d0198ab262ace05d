"""Give turns that no job has to encode jobs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from memspan.recipes import Recipe
from memspan.record_order import record_order
from memspan.remember.engine import Engine
from memspan.times import Micros, now_micros, to_micros

from .turns import enqueue_turns, is_open

__all__ = ["enqueue_all"]

_BATCH: Final = 512
"""Turns a transaction: as long as it lasts others wait who write."""


class _Turn(NamedTuple):
    session: str
    at: Micros
    id: str


def enqueue_all(
    engine: Engine, user: str | None, recipe: Recipe, advance: Callable[[int], object] = lambda count: None
) -> int:
    """See `Memory.enqueue`. Session by session, in the order of time; O(records), with the places of one user's turns
    in memory."""
    with engine.store.reading() as reader:
        users = [user] if user is not None else reader.users()
    return sum(_enqueue(engine, name, recipe, advance) for name in users)


def _enqueue(engine: Engine, user: str, recipe: Recipe, advance: Callable[[int], object]) -> int:
    count = 0
    found = _turns(engine, user)
    for start in range(0, len(found), _BATCH):
        ids = [turn.id for turn in found[start : start + _BATCH]]
        with engine.store.writing() as writer:
            # Looked up again: what was erased, changed or enqueued meanwhile is none of them.
            having = writer.jobs.seeing(user, ids, own=True)
            records = writer.fetch(user, ids)
            wanted = [records[id_] for id_ in ids if id_ in records and id_ not in having]
            turns = [record for record in wanted if is_open(record)]
            if turns:
                enqueue_turns(writer, user, turns, recipe, now_micros())
        count += len(turns)
        advance(len(turns))
    return count


def _turns(engine: Engine, user: str) -> list[_Turn]:
    with engine.store.reading() as reader:
        found = [
            _Turn(record.session or "", to_micros(record.at, "at"), record.id)
            for batch in reader.scan(user, _BATCH)
            for record in batch
            if is_open(record)
        ]
    return sorted(found, key=lambda turn: (turn.session, *record_order(turn.at, turn.id)))
