"""Which records are turns, and how jobs follow what becomes of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from memspan.actions import actions_in, outcomes_in
from memspan.encode.values import Turn
from memspan.recall.context.tokens import estimate_tokens
from memspan.recipes import Recipe
from memspan.records import Record
from memspan.remember.compose import shown_text
from memspan.remember.endings.life import is_expired
from memspan.remember.engine import Engine
from memspan.remember.writing.change import Change
from memspan.store import StoreWriter
from memspan.store.jobs import ClaimedJob
from memspan.times import Micros, now_micros

__all__ = ["JobTurns", "enqueue_turns", "follow_turns", "is_open", "is_turn", "read_turns", "turn_of"]


def is_turn(record: Record) -> bool:
    """Whether recipes look at the record: what was said or happened. What is known already, was derived, or is
    sensitive is left as it is, and not shown to a model."""
    return record.kind == "episodic" and not record.sources


def is_open(record: Record) -> bool:
    """Whether it is a turn that is believed and has not run out: no earlier version, and none that was taken back."""
    return is_turn(record) and record.retired_at is None and not is_expired(record)


def turn_of(record: Record) -> Turn:
    """The turn that a stored record holds, with what its images show."""
    return Turn(
        id=record.id,
        text=shown_text(record),
        at=record.at,
        speaker=record.speaker,
        session=record.session,
        actions=actions_in(record.metadata),
        outcomes=outcomes_in(record.metadata),
    )


def follow_turns(
    change: Change,
    records: Sequence[Record],
    existing: Mapping[tuple[str, str], Record],
    recipe: Recipe | None,
) -> bool:
    """Let jobs follow records that were just written, in the same transaction: new turns are enqueued, and jobs that
    have a turn which says something else now begin anew; returns whether there is anything to do.

    Args:
        existing: what was stored under their (user, id) before.
        recipe: of new jobs; `None` makes none.
    """
    wanted = recipe is not None and bool(recipe.write)
    if not wanted and not existing:
        return False
    now, busy = now_micros(), False
    by_user: dict[str, list[Record]] = {}
    for record in records:
        by_user.setdefault(record.user, []).append(record)
    for user, own in by_user.items():
        replaced = [record.id for record in own if (user, record.id) in existing]
        having: dict[str, set[int]] = {}
        if replaced:
            having = change.writer.jobs.seeing(user, replaced, own=True)
            busy = _begin_anew(change.writer, own, existing, having) or busy
        if recipe is not None and wanted:
            new = [each for each in own if is_turn(each) and each.id not in having]
            if new:
                enqueue_turns(change.writer, user, new, recipe, now)
                busy = True
    return busy


def _begin_anew(
    writer: StoreWriter,
    records: Sequence[Record],
    existing: Mapping[tuple[str, str], Record],
    having: Mapping[str, set[int]],
) -> bool:
    """Let the jobs of records of a user that say something else now begin anew; returns whether there are any."""
    # Writing a record anew takes its made tags away.
    tagged = set(writer.jobs.tagged(set().union(*having.values())))
    stale: set[int] = set()
    for record in records:
        before = existing.get((record.user, record.id))
        if before is not None and (_shown(before) != _shown(record) or record.id in tagged):
            stale |= having.get(record.id, set())
    if stale:
        writer.jobs.restart(stale, erase=False)
    return bool(stale)


def enqueue_turns(
    writer: StoreWriter, user: str, turns: Sequence[Record], recipe: Recipe, now: Micros
) -> None:
    """Give turns of a user to encode jobs; how long these wait for more, the recipe says."""
    gather, ids = recipe.gather, [(each.session, each.id) for each in turns]
    if gather is None:
        writer.jobs.enqueue(user, ids, recipe.name, now)
        return
    counts = [] if gather.tokens is None else [estimate_tokens(shown_text(each)) for each in turns]
    writer.jobs.enqueue(
        user, ids, recipe.name, now, tokens=counts, due=lambda count, tokens: gather.due(count, tokens, now)
    )


def _shown(record: Record) -> tuple[object, ...]:
    return is_turn(record), turn_of(record)


class JobTurns(NamedTuple):
    """The turns of a job."""

    own: tuple[Turn, ...]
    """In order of time, as those before them."""
    before: tuple[Turn, ...]
    left_out: tuple[str, ...]
    """Ids of those of both that have ended or run out since: nothing is made of them, and no model gets them."""


def read_turns(engine: Engine, job: ClaimedJob) -> JobTurns:
    """What a job works with now."""
    with engine.store.reading() as reader:
        own, before = reader.jobs.turns(job.pk)
        records = reader.fetch(job.user, [*own, *before])
        # What made room for others meanwhile was said all the same.
        missing = [id_ for id_ in (*own, *before) if id_ not in records]
        if missing:
            records |= {id_: cold.record for id_, cold in reader.cold.fetch(job.user, missing).items()}
    over = {id_ for id_, record in records.items() if is_turn(record) and not is_open(record)}
    return JobTurns(_in_order(records, own, over), _in_order(records, before, over), tuple(sorted(over)))


def _in_order(records: Mapping[str, Record], ids: Sequence[str], over: Collection[str]) -> tuple[Turn, ...]:
    kept = [records[id_] for id_ in ids if id_ in records and id_ not in over]
    found = [turn_of(record) for record in kept if is_turn(record)]
    # A stable sort: what was said at the same moment stays in the order in which it came.
    return tuple(sorted(found, key=lambda turn: turn.at))
