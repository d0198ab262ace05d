"""Undo a run: memories become again what they were before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memspan.errors import UndoError, invalid
from memspan.records import Record
from memspan.remember.auditing import audited
from memspan.remember.change import Change
from memspan.remember.compose import embedded_text
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.indexing import write_records
from memspan.run_info import Run, Undone
from memspan.store.runs import RunChange
from memspan.times import now_micros

from .journal import fingerprint, read_before

__all__ = ["undo"]

_NAMED: Final = 5
"""Ids in a message."""


@survives_damage
def undo(engine: Engine, id: str, *, user: str | None = None, leave_changed: bool = False) -> Undone:
    """See `Memory.undo`. One transaction, however large the run was."""
    with engine.changing() as change:
        run = _run(change, id, user)
        undone = _undo(engine, change, run, leave_changed)
        change.writer.runs.undone(id, now_micros())
        audited(change, "undo", user=run.user, restored=undone.restored, removed=undone.removed, run=id)
    engine.note_unsaved(undone.restored + undone.removed)
    return undone


def _run(change: Change, id_: str, user: str | None) -> Run:
    found = change.writer.runs.runs(user=user, id=id_)
    if not found:
        raise invalid("run", id_, "the id of a run, as `Memory.runs` lists them")
    if found[0].state == "undone":
        raise UndoError(f"the run {id_} was undone already")
    return found[0]


def _undo(engine: Engine, change: Change, run: Run, leave_changed: bool) -> Undone:
    writer = change.writer
    first: dict[str, RunChange] = {}
    last: dict[str, RunChange] = {}
    for each in writer.runs.changes(run.id):
        first.setdefault(each.record, each)
        last[each.record] = each
    stored = writer.fetch(run.user, list(first), embeddings=True)
    changed = [id_ for id_ in first if not _as_left(stored.get(id_), first[id_], last[id_])]
    if changed and not leave_changed:
        raise UndoError(
            f"{len(changed):,} of the {len(first):,} memories of the run {run.id} were changed or went since "
            f"({_listed(changed)}); undo what came after it first, or leave them as they are (leave_changed)"
        )
    back, gone = [], []
    made: dict[str, tuple[str, ...]] = {}
    for id_ in first.keys() - set(changed):
        if first[id_].before is None:
            gone.append(id_)
            continue
        record, tags = read_before(first[id_], run.user)
        back.append(_with_embedding(engine, record, stored.get(id_)))
        made[id_] = tags
    if gone:
        writer.remove(run.user, sorted(gone))
        change.apply(lambda index: index.remove(user=run.user, ids=sorted(gone)))
    if back:
        back.sort(key=lambda record: (record.at, record.id))
        write_records(change, back)
        writer.set_made_tags(run.user, made)
    return Undone(run.id, len(back), len(gone), tuple(sorted(changed)))


def _as_left(now: Record | None, first: RunChange, last: RunChange) -> bool:
    """Whether a record is as the run left it."""
    if now is None or last.after is None:
        return now is None and last.after is None
    if first.before is None and (now.pinned or now.held):
        return False  # Somebody wants to keep what the run made.
    return fingerprint(now) == last.after


def _with_embedding(engine: Engine, record: Record, now: Record | None) -> Record:
    """A record that says what it said before has the vector for it. Others are embedded again: the journal keeps no
    vectors, and the store may have been converted since."""
    if now is not None:
        record = replace(record, pinned=now.pinned, held=now.held)
        if embedded_text(now) == embedded_text(record):
            return replace(record, embedding=now.embedding)
    return replace(record, embedding=engine.embedder.documents([embedded_text(record)])[0])


def _listed(ids: Sequence[str]) -> str:
    named = ", ".join(repr(id_) for id_ in ids[:_NAMED])
    return named if len(ids) <= _NAMED else f"{named}, ..."
