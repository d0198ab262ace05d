"""Undo a run: memories become again what they were before it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from memspan.errors import StoreError, UndoError, UnknownIdError, invalid
from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.forgetting.forgetting import keep_promise, promise_erasure
from memspan.remember.tagging.dropping_relations import drop_relations
from memspan.remember.writing.change import Change
from memspan.reports.run_info import Run, Undone
from memspan.store.runs import RunChange
from memspan.times import now_micros

from .journal import Before, is_left_as, left_cold, read_before
from .putting_back import Place, PutBack, places

__all__ = ["undo"]

_logger = logging.getLogger("memspan")
_NAMED: Final = 5
"""Ids in a message."""


@survives_damage
def undo(engine: Engine, id: str, *, user: str | None = None, leave_changed: bool = False) -> Undone:
    """See `Memory.undo`. One transaction, however large the run was; then the bytes of what was removed go."""
    with engine.changing() as change:
        run = _run(change, id, user)
        undone, removed = _undo(engine, change, run, leave_changed)
        change.writer.runs.undone(id, now_micros(), removed)
        audited(change, "undo", user=run.user, restored=undone.restored, removed=undone.removed, run=id)
        if undone.removed:
            promise_erasure(engine, change)
    engine.note_unsaved(undone.restored + undone.removed)
    try:
        keep_promise(engine, run.user, bool(undone.removed))
    except StoreError as error:
        # All is as it was before the run, and asking again would be refused.
        _logger.warning("%s", error)
    return undone


def _run(change: Change, id_: str, user: str | None) -> Run:
    found = change.writer.runs.runs(user=user, id=id_)
    if not found:
        raise invalid("run", id_, "the id of a run; `runs` lists them", UnknownIdError)
    if found[0].state == "undone":
        raise UndoError(f"the run {id_} was undone already")
    return found[0]


def _undo(engine: Engine, change: Change, run: Run, leave_changed: bool) -> tuple[Undone, list[str]]:
    """What was done, and the ids of what was removed."""
    first: dict[str, RunChange] = {}
    last: dict[str, RunChange] = {}
    for each in change.writer.runs.changes(run.id):
        first.setdefault(each.record, each)
        last.pop(each.record, None)  # In the order of the last changes.
        last[each.record] = each
    now = places(change.writer, run.user, list(first))
    befores = {id_: read_before(each, run.user) for id_, each in first.items() if each.before is not None}
    changed = {id_ for id_ in first if not _as_left(now.get(id_), first[id_], last[id_])}
    changed |= {id_ for id_, before in befores.items() if _is_kept(now.get(id_), before)}
    changed |= _needed(change, run.user, {id_ for id_ in first if first[id_].before is None} - changed)
    if changed and not leave_changed:
        raise UndoError(
            f"{len(changed):,} of the {len(first):,} memories of the run {run.id} were changed, held or went since, or "
            f"others were made of them ({_listed(sorted(changed))}); undo what came after it first, or leave them as "
            "they are (leave_changed)"
        )
    back = PutBack(engine, change, run.user)
    made = [id_ for id_ in last if first[id_].before is None and id_ not in changed]
    for id_ in made:
        back.remove(id_, now.get(id_))
    for id_, left in last.items():
        if id_ in changed or first[id_].before is None:
            continue
        before = befores[id_]
        place = now.get(id_)
        if place is None:
            back.to_memory(before.record, None)
        elif before.evicted_at is not None:
            back.to_cold(before.record, place, before.evicted_at)
        elif place.cold and left_cold(left):
            back.to_memory_if_room(before.record, place)
        elif place.cold:
            back.stays_cold(before.record, place)
        else:
            back.to_memory(before.record, place)
    done = back.carry_out()
    if made:
        drop_relations(change, run.user)
    return Undone(run.id, done.restored, done.removed, tuple(sorted(changed)), done.cold), made


def _as_left(now: Place | None, first: RunChange, last: RunChange) -> bool:
    """Whether a record says what the run left, wherever it lies."""
    if now is not None and first.before is None and (now.record.pinned or now.record.held):
        return False  # Somebody wants to keep what the run made.
    return is_left_as(last, None if now is None else now.record)


def _is_kept(now: Place | None, before: Before) -> bool:
    """Whether a record is held, and undoing would take away what it says or send it to the cold tier."""
    if now is None or not now.record.held:
        return False
    return now.record.text != before.record.text or (before.evicted_at is not None and not now.cold)


def _needed(change: Change, user: str, made: set[str]) -> set[str]:
    """What a run made and something else was made of since, that would lose its source."""
    traces = change.writer.traces
    return {id_ for id_ in made if traces.derived(user, [id_]) - made}


def _listed(ids: Sequence[str]) -> str:
    named = ", ".join(repr(id_) for id_ in ids[:_NAMED])
    return named if len(ids) <= _NAMED else f"{named}, ..."
