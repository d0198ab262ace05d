"""How stale a user's memories are, for the report of sleep (store-compress-staleness, 3.1 and 3.4)."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import sleep
from typing import Final

from memspan.lifecycle.allocations import SHARED_KINDS
from memspan.lifecycle.staleness import StalenessPolicy, true_staleness
from memspan.records import Record
from memspan.remember.engine import Engine
from memspan.remember.searching.aging import tracked_staleness, unwritten_uses
from memspan.remember.searching.asking import when_asked
from memspan.store import StoreReader
from memspan.store.sqlite.statements import chunks

__all__ = ["StalenessSurvey", "end_of_ages", "may_be_pruned", "survey_pages"]

_BATCH: Final = 32
_PAGE: Final = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class StalenessSurvey:
    """A user's memories under a policy, at one moment."""

    policy: str
    records: int
    """That are believed and have not expired."""
    tracked_staleness: float
    """Mean s^agent, what the policy believes; 0 without records."""
    true_staleness: float
    """Mean s^true by age, at the policy's rate, whatever the policy is."""
    stale: int
    """How many are staler than .5."""
    prunable: tuple[str, ...]
    """Ids of those that `may_be_pruned` names; empty when the policy does not prune."""
    last: str
    """Id of the last record that was looked at."""
    now: datetime
    """The moment that ages end at."""


def may_be_pruned(record: Record) -> bool:
    """Whether a policy that finds a record too stale sends it to the cold tier: one that is believed, neither pinned
    nor held, and of one of the kinds that share a capacity. Pointers and secrets do not grow stale by age: `memspan
    resources` tells whether a target is there."""
    return record.kind in SHARED_KINDS and record.retired_at is None and not (record.pinned or record.held)


def end_of_ages(engine: Engine, user: str) -> datetime:
    """The moment of the user's newest record that is not still to come."""
    return when_asked(engine.current(), user, None)


def survey_pages(
    engine: Engine,
    user: str,
    policy: StalenessPolicy,
    now: datetime,
    after: str = "",
    gone: Container[str] = (),
) -> Iterator[StalenessSurvey]:
    """Look at every memory of a user, a thousand at a time, in the order of their ids, and change nothing. O(records).

    Args:
        now: the moment that ages end at.
        after: an id; those up to it are left out.
        gone: ids of others that are.
    """
    while True:
        # In pages: to let a list of all ids go takes milliseconds, in which searches wait for the interpreter.
        with engine.store.reading() as reader:
            ids = next(reader.id_pages(user, _PAGE, after=after), [])
            if not ids:
                return
            there = [id_ for id_ in ids if id_ not in gone]
            page = _look(engine, reader, user, there, policy, now, ids[-1])
        yield page
        after = ids[-1]


def _look(
    engine: Engine,
    reader: StoreReader,
    user: str,
    ids: Sequence[str],
    policy: StalenessPolicy,
    now: datetime,
    last: str,
) -> StalenessSurvey:
    count = stale = 0
    tracked = true = 0.0
    prunable: list[str] = []
    unwritten = unwritten_uses(engine, user, policy)
    for piece in chunks(ids, _BATCH):
        records = _believed(reader, user, piece, now)
        found = tracked_staleness(engine, user, records, policy, now, unwritten)
        ages = [(now - record.at) / policy.unit for record in records]
        count += len(records)
        stale += sum(value > 0.5 for value in found)
        tracked += sum(found)
        true += float(true_staleness(ages, policy.rate).sum())
        prunable += [
            record.id
            for record, above in zip(records, policy.prunable(found), strict=True)
            if above and may_be_pruned(record)
        ]
    return StalenessSurvey(
        policy=policy.name,
        records=count,
        tracked_staleness=tracked / max(count, 1),
        true_staleness=true / max(count, 1),
        stale=stale,
        prunable=tuple(prunable),
        last=last,
        now=now,
    )


def _believed(reader: StoreReader, user: str, ids: Sequence[str], now: datetime) -> list[Record]:
    batch = reader.fetch(user, ids).values()
    sleep(0)  # likewise
    return [
        record
        for record in batch
        if record.retired_at is None and (record.expires_at is None or record.expires_at > now)
    ]
