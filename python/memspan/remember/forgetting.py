"""Erase records everywhere: rows, index, snapshot file, write-ahead log."""

from __future__ import annotations

from memspan.errors import invalid
from memspan.store import StoreReader

from .catch_up import reconcile
from .damage import survives_damage
from .engine import Change, Engine
from .fields import checked_name
from .history import version_ids
from .made_tags import write_made_tags

__all__ = ["forget"]


@survives_damage
def forget(engine: Engine, *, user: str, id: str | None, source: str | None) -> int:
    """See `Memory.forget`."""
    checked_name(user, "user")
    if id is not None and source is not None:
        raise invalid("source", source, "either `id` or `source`, not both")
    with engine.changing() as change:
        removed = (
            _forget_user(change, user)
            if id is None and source is None
            else _forget_some(change, user, id, source)
        )
        if removed is None:
            return 0
        # Deleted before the commit: were the process to die in between, only a cache would be lost.
        engine.snapshots.delete(change.writer)
        change.writer.request_erasure()
    engine.vocabularies.forget(user)
    engine.note_unsaved()
    engine.store.erase()
    return removed


def _forget_user(change: Change, user: str) -> int | None:
    """The number of records removed; `None` when there was nothing at all."""
    if user not in change.writer.users():
        return None
    removed = change.writer.remove_user(user)
    change.apply(lambda index: index.forget(user=user))
    return removed


def _forget_some(change: Change, user: str, id_: str | None, source: str | None) -> int | None:
    writer = change.writer
    if id_ is not None:
        roots = {checked_name(id_, "id")}
    else:
        roots = writer.of_source(user, checked_name(source, "source", 4096))
    found = set(writer.fetch(user, sorted(roots))) | writer.derived(user, sorted(roots))
    doomed = sorted(found | version_ids(writer, user, found))
    if not doomed:
        return None
    doomed, retagged = _forget_in_jobs(change, user, doomed)
    tags = _tags_of(writer, user, [*doomed, *retagged])
    write_made_tags(change, user, dict.fromkeys(retagged, ()))
    removed = writer.remove(user, doomed)
    # A tag says something about the records that had it; when none has it any more, it goes with its
    # relations.
    writer.drop_relations_of(user, writer.unused(user, tags, relations=False))
    if not writer.count(user) and not writer.relations(user):
        writer.remove_user(user)
        change.apply(lambda index: index.forget(user=user))
    else:
        change.apply(lambda index: reconcile(index, writer, user), atomic=False)
    return removed


def _forget_in_jobs(change: Change, user: str, ids: list[str]) -> tuple[list[str], list[str]]:
    """Erase what jobs hold of records. Returns these with all that has to go because of it, and what has to lose the
    tags that were made for it.

    A job that was shown one of the records knows what it said: all that it made goes, and it begins again with the
    turns that are left. One that made one of them only loses its log and what models answered.
    """
    writer, jobs = change.writer, change.writer.jobs
    shown = set().union(*jobs.seeing(user, ids).values())
    made = writer.fetch(user, jobs.made(shown))
    doomed = sorted({*ids, *made, *writer.derived(user, sorted(made))})
    tagged = sorted(set(jobs.tagged(shown)).difference(doomed))
    jobs.forget_results(jobs.making(user, doomed))
    for job in shown:
        for parent, child in jobs.dissolve(job):
            writer.unrelate(user, parent, child)
    jobs.lose(user, doomed)
    jobs.restart(shown, erase=True)
    return doomed, tagged


def _tags_of(reader: StoreReader, user: str, ids: list[str]) -> list[str]:
    return sorted({tag for record in reader.fetch(user, ids).values() for tag in record.tags})
