"""Erase records everywhere: rows, index, cold copies, versions, journals, jobs, snapshot file, write-ahead log."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from memspan.errors import HeldError, PlanChangedError
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.endings.taken_over import let_go, only_took_over
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.remember.selecting import Selection
from memspan.remember.tagging.dropping_relations import drop_relations, unrelate_within
from memspan.remember.tagging.made_tags import write_made_tags
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records
from memspan.store import StoreWriter
from memspan.store.traces import without_names

from .forget_plans import ForgetPlan, opened
from .scope import Scope, scope_of
from .unlearning import unlearn

__all__ = [
    "confirm",
    "erase_within",
    "forget",
    "keep_promise",
    "promise_erasure",
    "remove_if_nothing_is_left",
]


@survives_damage
def forget(engine: Engine, *, user: str, selection: Selection) -> int | None:
    """See `Memory.forget`; `None` when there was nothing at all, neither records nor settings."""
    checked_name(user, "user")
    with engine.changing() as change:
        removed = (
            _forget_user(change, user) if selection.everything else _forget_some(change, user, selection)
        )
        if removed is not None:
            promise_erasure(engine, change)
        # Also by an earlier call: whoever tries again finds no records, and wants the bytes gone.
        promised = change.writer.erasure_pending()
    keep_promise(engine, user, promised)
    return removed


@survives_damage
def confirm(engine: Engine, plan: ForgetPlan | str, user: str | None = None) -> int | None:
    """Carry out what `forget_matching` planned; see `forget`."""
    agreed = opened(plan, user)
    with engine.changing() as change:
        promised = change.writer.erasure_pending()
        try:
            scope = agreed.scope(change.writer)
        except PlanChangedError:
            # Of records that an earlier call took out, whoever tries again wants the bytes gone.
            if not promised or change.writer.traces.present(agreed.user, agreed.ids):
                raise
            scope = Scope((), frozenset(), ())
        removed = erase_within(change, agreed.user, scope)
        if removed:
            audited(
                change,
                "forget",
                user=agreed.user,
                ids=scope.ids,
                by="confirmed question",
                records=removed,
            )
            promise_erasure(engine, change)
            promised = True
    keep_promise(engine, agreed.user, promised)
    return removed or None


def promise_erasure(engine: Engine, change: Change) -> None:
    """Have the bytes of what a change removes erased, by `keep_promise` or by the next open."""
    # Deleted before the commit: were the process to die in between, only a cache would be lost.
    engine.snapshots.delete(change.writer)
    change.writer.request_erasure()


def keep_promise(engine: Engine, user: str, promised: bool) -> None:
    """Erase the bytes, if that was promised. Time linear in the size of the database.

    Raises:
        StoreError: they could not be erased yet.
    """
    if promised:
        engine.forget_words(user)
        engine.note_unsaved()
        engine.store.erase()


def _forget_user(change: Change, user: str) -> int | None:
    """The number of records removed, cold ones included; `None` for a user who is not known."""
    writer = change.writer
    if not writer.has_user(user):
        return None
    records = writer.traces.count(user)
    _refuse_held(writer.traces.held(user), records)
    _remove_user(change, user)
    audited(change, "forget", user=user, by="everything", records=records)
    return records


def _forget_some(change: Change, user: str, selection: Selection) -> int | None:
    writer = change.writer
    roots = {*writer.traces.chosen(user, selection.chosen), *selection.roots}
    if (source := selection.chosen.source) is not None:
        roots -= only_took_over(writer, user, roots, source)
    scope = scope_of(writer, user, roots)
    removed = erase_within(change, user, scope)
    if removed:
        audited(change, "forget", user=user, ids=scope.ids, by=selection.by, records=removed)
    return removed or None


def erase_within(change: Change, user: str, scope: Scope) -> int:
    """Take out of the store and the index all that a scope names; returns how many records those are.

    A job that was shown one of the records knows what it said: all that it made goes, and it begins again with the
    turns that are left. One that made one of them only loses its log and what models answered. The caller asks for the
    bytes to be erased.

    Raises:
        HeldError: one of the records is held; nothing was changed.
    """
    if not scope.ids:
        return 0
    writer, ids = change.writer, list(scope.ids)
    _refuse_held(writer.traces.held(user, ids), len(ids))
    _forget_in_jobs(change, user, scope)
    let_go(change, user, scope.ids)
    going, untagged = writer.fetch(user, ids), writer.fetch(user, scope.retagged)
    tags = {tag for one in (*going.values(), *untagged.values()) for tag in one.tags}
    write_made_tags(change, user, dict.fromkeys(scope.retagged, ()))
    writer.cold.untag(user, scope.retagged)
    copies = {} if writer.cold.empty else writer.cold.fetch(user, ids)
    replacing = _replacing(writer, user, scope.ids)
    _unname(change, user, ids, replacing)
    tags.update(tag for copy in copies.values() for tag in (*copy.record.tags, *copy.made_tags))
    for record in (*going.values(), *(copy.record for copy in copies.values())):
        # One that only goes because a source does is learnt again from what is left.
        if record.id in scope.chosen:
            unlearn(change, user, record)
    writer.traces.erase(user, ids, replacing)
    writer.remove(user, ids)
    # Also for what was only in the cold tier: a handle that has not heard of an eviction yet has it in its index.
    writer.mark_removal(user)
    # Not by comparing all that there is: sweeps come here for each few hundred records.
    change.remove(user, ids)
    drop_relations(change, user, tags)
    remove_if_nothing_is_left(change, user)
    return len(ids)


def remove_if_nothing_is_left(change: Change, user: str) -> bool:
    """Take a user out of the store who has neither records, relations nor settings any more; whether that was so."""
    writer = change.writer
    if any(writer.id_pages(user, 1)) or writer.relations(user) or writer.traces.outlives(user):
        return False
    _remove_user(change, user)
    return True


def _remove_user(change: Change, user: str) -> None:
    change.writer.remove_user(user)
    change.apply(lambda index: index.forget(user=user))


def _refuse_held(held: int, records: int) -> None:
    if held:
        raise HeldError(held, records)


def _forget_in_jobs(change: Change, user: str, scope: Scope) -> None:
    jobs, ids = change.writer.jobs, list(scope.ids)
    jobs.forget_results(jobs.making(user, ids))
    for job in scope.shown:
        for parent, child in jobs.dissolve(job):
            unrelate_within(change, user, parent, child)
    jobs.lose(user, ids)
    jobs.restart(scope.shown, erase=True)


def _replacing(writer: StoreWriter, user: str, going: Collection[str]) -> set[str]:
    """Ids of what took the place of records and stays, also where that was undone, and of its versions: it may name
    them."""
    named = writer.traces.enders(user, going).difference(going)
    return named | writer.traces.versions(user, named)


def _unname(change: Change, user: str, ids: Collection[str], replacing: Collection[str]) -> None:
    """Records that ended because of one that is forgotten stay ended, and no longer say because of which; nor does what
    took its place say of what."""
    writer, gone = change.writer, set(ids)
    naming = sorted(writer.traces.mentioning(user, gone).union(replacing) - gone)
    if not naming:
        return
    records = writer.fetch(user, naming, embeddings=True)
    unnamed = {id_: _without_names(record, gone) for id_, record in records.items()}
    changed = [record for id_, record in unnamed.items() if record is not records[id_]]
    if changed:
        made = writer.made_tags(user, [record.id for record in changed])
        write_records(change, changed)
        writer.set_made_tags(user, made)


def _without_names(record: Record, gone: Collection[str]) -> Record:
    metadata = without_names(record.metadata, gone)
    return record if metadata is None else replace(record, metadata=metadata)
