"""Undo a run: memories become again what they were before it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.errors import StoreError, UndoError, UnknownIdError, invalid
from memspan.remember.audit.auditing import audited
from memspan.remember.compose import embedded_text
from memspan.remember.damage import survives_damage
from memspan.remember.endings.taken_over import given_back, let_go
from memspan.remember.engine import Engine
from memspan.remember.forgetting.forgetting import keep_promise, promise_erasure
from memspan.remember.places import Place, places
from memspan.remember.tagging.dropping_relations import drop_relations
from memspan.remember.writing.change import Change
from memspan.reports.run_info import Run, Undone
from memspan.store import StoreReader
from memspan.store.runs import RunChange
from memspan.times import now_micros

from .journal import Before, is_left_as, left_cold, read_before
from .putting_back import Done, PutBack, with_own

__all__ = ["undo"]

_logger = logging.getLogger("memspan")
_NAMED: Final = 5
"""Ids in a message."""
_PART: Final = 256
"""Records that are put back at a time."""


@survives_damage
def undo(engine: Engine, id: str, *, user: str | None = None, leave_changed: bool = False) -> Undone:
    """See `Memory.undo`. One transaction, however large the run was; then the bytes of what was removed go."""
    embedder = engine.embedder
    vectors = _missing_vectors(engine, id, user)
    with engine.changing() as change:
        change.require_made_by(embedder)
        run = _run(change.writer, id, user)
        undone, removed = _undo(engine, change, run, leave_changed, vectors)
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


def _run(reader: StoreReader, id_: str, user: str | None) -> Run:
    found = reader.runs.runs(user=user, id=id_)
    if not found:
        raise invalid("run", id_, "the id of a run; `runs` lists them", UnknownIdError)
    if found[0].state == "undone":
        raise UndoError(f"the run {id_} was undone already")
    return found[0]


def _missing_vectors(engine: Engine, id_: str, user: str | None) -> dict[str, NDArray[np.float32]]:
    """By text, the vectors of what is to be put back and has none that is valid, as after a conversion to another
    embedder."""
    vectors: dict[str, NDArray[np.float32]] = {}
    with engine.store.reading() as reader:
        run = _run(reader, id_, user)
        touched = reader.runs.touched(run.id)
    for piece in _pieces(touched):
        with engine.store.reading() as reader:
            now = places(reader, run.user, piece)
            steps = _steps(reader, run, piece)
        before = {id_: _before(first, run) for id_, (first, _) in steps.items()}
        records = [with_own(one.record, now.get(id_)) for id_, one in before.items() if one is not None]
        texts = [embedded_text(record) for record in records if record.embedding is None]
        if texts := [text for text in dict.fromkeys(texts) if text not in vectors]:
            vectors.update(zip(texts, engine.embed_texts(texts), strict=True))
    return vectors


class _Kind(Enum):
    """What undoing does to a record, in this order: what leaves memory makes room there."""

    REMOVE = "remove"
    COLD = "cold"
    MEMORY = "memory"
    IF_ROOM = "if room"


def _undo(
    engine: Engine,
    change: Change,
    run: Run,
    leave_changed: bool,
    vectors: Mapping[str, NDArray[np.float32]],
) -> tuple[Undone, list[str]]:
    """What was done, and the ids of what was removed. In parts: records and their vectors are read twice, and those of
    one part are in memory at a time."""
    touched = change.writer.runs.touched(run.id)
    kinds, changed = _look(change, run, touched)
    if changed and not leave_changed:
        raise UndoError(
            f"{len(changed):,} of the {len(touched):,} memories of the run {run.id} were changed, held or went since, "
            f"or others were made of them ({_listed(sorted(changed))}); undo what came after it first, or leave them "
            "as they are (leave_changed)"
        )
    made = kinds[_Kind.REMOVE]
    back = [id_ for kind in _Kind if kind is not _Kind.REMOVE for id_ in kinds[kind]]
    if given := given_back(change.writer, run.user, back, changed):
        let_go(change, run.user, given)
    restored = 0
    cold: list[str] = []
    for kind in _Kind:
        for piece in _pieces(kinds[kind], backwards=kind is _Kind.IF_ROOM):
            done = _put_back(engine, change, run, piece, vectors)
            restored += done.restored
            cold += done.cold
            change.let_go()
    if made:
        drop_relations(change, run.user)
    return Undone(run.id, restored, len(made), tuple(sorted(changed)), tuple(sorted(cold))), made


def _look(change: Change, run: Run, touched: Sequence[str]) -> tuple[dict[_Kind, list[str]], set[str]]:
    """What is to be done to which records, in the order of their last changes, and which were changed since."""
    kinds: dict[_Kind, list[str]] = {kind: [] for kind in _Kind}
    changed: set[str] = set()
    for piece in _pieces(touched):
        steps = _steps(change.writer, run, piece)
        now = places(change.writer, run.user, piece, embeddings=False)
        for id_, (first, last) in steps.items():
            place, before = now.get(id_), _before(first, run)
            if not _as_left(place, first, last) or (before is not None and _is_kept(place, before)):
                changed.add(id_)
            else:
                kinds[_kind(before, place, last)].append(id_)
    made = set(kinds[_Kind.REMOVE])
    if needed := _needed(change, run.user, made):
        changed |= needed
        kinds[_Kind.REMOVE] = [id_ for id_ in kinds[_Kind.REMOVE] if id_ not in needed]
    return kinds, changed


def _put_back(
    engine: Engine,
    change: Change,
    run: Run,
    ids: Sequence[str],
    vectors: Mapping[str, NDArray[np.float32]],
) -> Done:
    back = PutBack(engine, change, run.user, vectors)
    now = places(change.writer, run.user, ids)
    for id_, (first, last) in _steps(change.writer, run, ids).items():
        place, before = now.get(id_), _before(first, run)
        if before is None:
            back.remove(id_, place)
        elif place is None:
            back.to_memory(before.record, None)
        elif before.evicted_at is not None:
            back.to_cold(before.record, place, before.evicted_at)
        elif place.cold and left_cold(last):
            back.to_memory_if_room(before.record, place)
        elif place.cold:
            back.stays_cold(before.record, place)
        else:
            back.to_memory(before.record, place)
    return back.carry_out()


def _kind(before: Before | None, now: Place | None, last: RunChange) -> _Kind:
    """See `_put_back`."""
    if before is None:
        return _Kind.REMOVE
    if now is None or not (now.cold or before.evicted_at is not None):
        return _Kind.MEMORY
    return _Kind.IF_ROOM if before.evicted_at is None and left_cold(last) else _Kind.COLD


def _steps(reader: StoreReader, run: Run, ids: Sequence[str]) -> dict[str, tuple[RunChange, RunChange]]:
    """The first and the last change of each record, in the order of `ids`."""
    first: dict[str, RunChange] = {}
    last: dict[str, RunChange] = {}
    for each in reader.runs.changes(run.id, ids):
        first.setdefault(each.record, each)
        last[each.record] = each
    return {id_: (first[id_], last[id_]) for id_ in ids}


def _before(first: RunChange, run: Run) -> Before | None:
    return None if first.before is None else read_before(first, run.user)


def _pieces(ids: Sequence[str], *, backwards: bool = False) -> Iterator[Sequence[str]]:
    starts = range(0, len(ids), _PART)
    return (ids[start : start + _PART] for start in (reversed(starts) if backwards else starts))


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
