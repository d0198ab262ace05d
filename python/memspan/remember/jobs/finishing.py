"""The last step of a job: its records, relations and end; several jobs in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memspan import _core
from memspan.errors import TagCycleError
from memspan.index import Index
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.capacity.cold import in_full
from memspan.remember.compose import embedded_text
from memspan.remember.damage import survives_damage
from memspan.remember.embedding import StoreEmbedder
from memspan.remember.endings.believing_again import believe_again
from memspan.remember.endings.lifetimes import with_lifetimes
from memspan.remember.engine import Engine
from memspan.remember.input.tags import given_records
from memspan.remember.tagging.dropping_relations import unrelate_within
from memspan.remember.tagging.made_tags import write_cold_made_tags, write_made_tags
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records
from memspan.remember.writing.secret_ids import is_secret
from memspan.store.cold import ORIGINAL
from memspan.store.jobs import ClaimedJob, Note, Outcome
from memspan.times import from_micros, now_micros

from .committer import JobLostError, outcomes
from .removing import remove_made

__all__ = ["Results", "finish", "finish_all", "with_embeddings"]


def with_embeddings(engine: Engine, records: Sequence[Record]) -> list[Record]:
    """Gives records that nobody else has yet the vectors of their texts; before the transaction, so that nobody waits
    for the embedder."""
    if not records:
        return []
    vectors: NDArray[np.float32] = engine.embed_texts([embedded_text(record) for record in records])
    for record, vector in zip(records, vectors, strict=True):
        object.__setattr__(record, "embedding", vector)  # a copy of each costs more than storing it
    return list(records)


@dataclass(frozen=True, slots=True)
class Results:
    """What the stages of a job arrived at, checked and ready to be stored."""

    records: Sequence[Record]
    """With embeddings."""
    embedder: StoreEmbedder
    """That made these."""
    turn_tags: Mapping[str, tuple[str, ...]]
    """By the ids of own turns."""
    relations: Sequence[tuple[str, str]]
    """(parent, child) pairs of tags."""


@survives_damage
def finish_all(engine: Engine, operations: Sequence[Callable[[Change], int]]) -> list[Any]:
    """Finish jobs in one transaction: all of them or none. Returns for each how many records came of it, or that it
    was lost."""
    with engine.changing() as change:
        results = outcomes(operations, change)
    engine.note_unsaved(sum(count for count in results if isinstance(count, int)))
    return results


def finish(job: ClaimedJob, results: Results, notes: Sequence[Note], change: Change) -> int:
    """Store what came of a job, and that it is done. Returns how many records came of it.

    What an earlier run of the job made and this one did not, because its turns changed meanwhile, goes. What sleep had
    ended for that alone is believed again.

    Raises:
        JobLostError: the job was forgotten or began anew meanwhile; nothing changed.
        ConvertedError: the embedder is another one meanwhile; nothing changed.
    """
    notes = list(notes)
    jobs = change.writer.jobs
    if not jobs.holds(job, now_micros()):
        raise JobLostError(f"job {job.id} is not this run's any more")
    change.require_made_by(results.embedder)
    # Somebody may have given a secret the id of a record that was forgotten.
    records = [record for record in results.records if not is_secret(change.writer, job.user, record.id)]
    made = [record.id for record in records]
    unmade = set(jobs.made([job.pk])).difference(made)
    gone = remove_made(change, job.user, unmade)
    held = unmade - gone
    gone |= _write(change, job.user, records)
    believe_again(change, job.user, gone)
    taken_back: dict[str, tuple[str, ...]] = dict.fromkeys(jobs.tagged([job.pk]), ())
    turn_tags = {**taken_back, **results.turn_tags}
    write_made_tags(change, job.user, turn_tags)
    write_cold_made_tags(change, job.user, turn_tags)
    tagged = [id_ for id_, tags in results.turn_tags.items() if tags]
    relations = _relate(change, job, results.relations, notes)
    # What is held stays the job's own: it goes with the turns that the job was shown, when it is released.
    jobs.finish(job, Outcome([*made, *sorted(held)], tagged, relations), notes)
    audited(change, "derive", user=job.user, records=len(made), tagged=len(tagged))
    return len(made)


def _write(change: Change, user: str, records: Sequence[Record]) -> set[str]:
    """Write what is new or says something else now; what was derived from the latter goes. Returns the ids of both.

    No versions are kept of what a job made before. It begins anew because a turn says something else, and that turn's
    older wording is kept, so that `as_of` still finds what was said; or because a turn was forgotten, and then what was
    made of it must not stay under any id. A version would also outlive what the job knows to be its own: forgetting a
    turn that it was only shown, which is no source of it, would miss it.
    """
    ids = [record.id for record in records]
    existing = given_records(change.writer, user, ids, embeddings=True)
    cold = change.writer.cold
    if not cold.empty:
        away = cold.fetch(user, [id_ for id_ in ids if id_ not in existing])
        existing |= {id_: copy.record for id_, copy in away.items()}
    full = in_full(change.writer, user, existing)
    moment = from_micros(now_micros())
    changed = []
    outdated: set[str] = set()
    for record in records:
        before = existing.get(record.id)
        if before is not None:
            if before.held or any(
                _says_the_same(one, record) for one in (before, full.get(record.id, before))
            ):
                continue
            outdated.add(record.id)
            record = replace(record, pinned=before.pinned)
        assert record.embedding is not None
        _core.complete_record(record, moment, record.embedding)
        changed.append(record)
    if outdated:
        outdated |= remove_made(change, user, (), reworded=outdated, but=existing)
    if changed:
        if not cold.empty:
            # They are of what was said before.
            cold.drop(user, [record.id for record in changed], ORIGINAL)
        write_records(change, with_lifetimes(change.writer, changed, moment))
    return outdated


def _says_the_same(before: Record, now: Record) -> bool:
    """Whether a record can stay. Another run may word it anew, but what became of it since, such as an end that a
    later memory gave it, is kept when it did not, also where it was shortened or lies in the cold tier."""
    return all(getattr(before, name) == getattr(now, name) for name in ("text", "at", "kind", "sources"))


def _relate(
    change: Change, job: ClaimedJob, relations: Sequence[tuple[str, str]], notes: list[Note]
) -> list[tuple[str, str]]:
    """Store the relations, and take back those of an earlier run; returns those that are there because of jobs."""
    writer = change.writer
    earlier = set(writer.jobs.dissolve(job.pk))
    for edge in sorted(earlier.difference(relations)):
        unrelate_within(change, job.user, *edge)
    held = []
    for parent, child in relations:
        try:
            change.apply(partial(Index.relate, user=job.user, parent=parent, child=child))
        except TagCycleError as error:
            details = {"parent": parent, "child": child, "reason": str(error)}
            notes.append(Note(now_micros(), "store", "refused relation", details))
            continue
        # What a caller gave stays the caller's.
        made = (parent, child) in earlier or writer.is_made(job.user, parent, child)
        new = writer.relate(job.user, parent, child)
        if new or made or writer.jobs.came_of_jobs(job.user, parent, child):
            held.append((parent, child))
    return held
