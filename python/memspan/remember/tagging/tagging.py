"""Make tags of what a user's records say, and put them into the store and the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memspan.encode.tags.tag import Tagging, Turns, tag_turns
from memspan.errors import TagCycleError
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.compose import shown_text
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.remember.input.tags import without_made
from memspan.remember.progress import tracking
from memspan.remember.writing.adding import Advance
from memspan.remember.writing.change import Change
from memspan.reports.tag_info import TagInfo, TagReport

from .dropping_relations import unrelate_within
from .made_tags import beside, write_made_tags

__all__ = ["tag", "tags", "untag"]

_BATCH: Final = 256
_SCANNED: Final = 2048
_UNTAGGED: Final = frozenset({"vault"})
"""Kinds whose texts must not show in tags: they come only when they are asked for by name."""


class _Read(NamedTuple):
    """What a tagging depends on, and what it replaces."""

    records: list[Record]
    """Without embeddings, in the order of time, with the tags that a caller gave."""
    embeddings: NDArray[np.float32]
    made: dict[str, tuple[str, ...]]


def tag(engine: Engine, user: str | None, show: bool) -> TagReport:
    """See `Memory.tag`."""
    return _each_user(engine, user, show, make=True)


def untag(engine: Engine, user: str | None, show: bool) -> TagReport:
    """See `Memory.untag`."""
    return _each_user(engine, user, show, make=False)


@survives_damage
def tags(engine: Engine, user: str) -> list[TagInfo]:
    """See `Memory.tags`."""
    checked_name(user, "user")
    return engine.current().tags(user=user)


def _each_user(engine: Engine, user: str | None, show: bool, *, make: bool) -> TagReport:
    engine.require_open()
    if user is not None:
        checked_name(user, "user")
    with engine.store.reading() as reader:
        users = reader.users() if user is None else [user]
        total = reader.count(user)
    work = _tag_user if make else _untag_user
    with tracking("tagging", total, show) as advance:
        reports = [work(engine, name, advance) for name in users]
    return TagReport(
        users=len(reports),
        records=sum(report.records for report in reports),
        tags=sum(report.tags for report in reports),
        relations=sum(report.relations for report in reports),
        changed=sum(report.changed for report in reports),
    )


def _tag_user(engine: Engine, user: str, advance: Advance) -> TagReport:
    """Choose the tags of all records of a user, then write those that differ, some hundreds a transaction, and last
    the relations.

    Killed in between, some records have their new tags and others the old ones; the next call goes on. Records that
    change meanwhile keep what they have. Memory: the texts and embeddings of the user.
    """
    read = _read(engine, user)
    tagging = Tagging([()] * len(read.records), [])
    if read.records:
        turns = Turns(
            [shown_text(record) for record in read.records],
            [record.speaker for record in read.records],
            [record.session for record in read.records],
            read.embeddings,
        )
        tagging = tag_turns(turns, lambda texts: engine.embedder.documents(list(texts)))
    wanted = {
        record.id: beside(record, chosen) for record, chosen in zip(read.records, tagging.tags, strict=True)
    }
    texts = {record.id: record.text for record in read.records}
    # What is no turn any more, such as a record that went into the vault or is not believed, loses its tags.
    for id_ in read.made.keys() - wanted.keys():
        wanted[id_] = ()
    different = [id_ for id_, made in wanted.items() if made != read.made.get(id_, ())]
    advance(len(read.records) - len(different))
    changed = _write_all(engine, user, {id_: wanted[id_] for id_ in different}, texts, advance)
    relations = _relate(engine, user, [(edge.parent, edge.child) for edge in tagging.edges])
    names = {name for made in wanted.values() for name in made}
    return TagReport(1, len(read.records), len(names), relations, changed)


def _untag_user(engine: Engine, user: str, advance: Advance) -> TagReport:
    """Take the made tags of all records of a user, some hundreds a transaction, and last the relations. Memory: the
    made tags."""
    with engine.store.reading() as reader:
        made = reader.made_tags(user)
        records = sum(_is_tagged(record) for page in reader.scan(user, _SCANNED) for record in page)
    advance(max(0, records - len(made)))
    changed = _write_all(engine, user, dict.fromkeys(made, ()), {}, advance)
    return TagReport(1, records, 0, _relate(engine, user, []), changed)


def _is_tagged(record: Record) -> bool:
    """Whether tags are made for it."""
    return record.retired_at is None and record.kind not in _UNTAGGED


def _read(engine: Engine, user: str) -> _Read:
    records: list[Record] = []
    rows: list[NDArray[np.float32]] = []
    with engine.store.reading() as reader:
        made = reader.made_tags(user)
        for page in reader.scan(user, _SCANNED, embeddings=True):
            for record in page:
                if _is_tagged(record) and record.embedding is not None:
                    rows.append(record.embedding)
                    records.append(replace(without_made(record, made), embedding=None))
    order = sorted(range(len(records)), key=lambda i: (records[i].at, records[i].id))
    dim = engine.embedder.identity.dim
    embeddings = np.stack([rows[i] for i in order]) if rows else np.zeros((0, dim), np.float32)
    return _Read([records[i] for i in order], embeddings, made)


def _write_all(
    engine: Engine, user: str, wanted: dict[str, tuple[str, ...]], texts: dict[str, str], advance: Advance
) -> int:
    """See `_write`; some hundreds a transaction."""
    changed = 0
    ids = list(wanted)
    for start in range(0, len(ids), _BATCH):
        piece = ids[start : start + _BATCH]
        changed += _write(engine, user, {id_: wanted[id_] for id_ in piece}, texts)
        advance(len(piece))
    return changed


@survives_damage
def _write(engine: Engine, user: str, wanted: dict[str, tuple[str, ...]], texts: dict[str, str]) -> int:
    """Give records their made tags in one transaction; returns how many that were."""
    with engine.changing() as change:
        changed = write_made_tags(
            change,
            user,
            wanted,
            # It says something else by now.
            lambda stored: (
                bool(wanted[stored.id]) and (stored.text != texts[stored.id] or stored.kind in _UNTAGGED)
            ),
        )
        if changed:
            audited(change, "tag", user=user, records=changed)
    engine.note_unsaved(changed)
    return changed


@survives_damage
def _relate(engine: Engine, user: str, edges: Sequence[tuple[str, str]]) -> int:
    """Replace the made relations of a user in one transaction; returns how many there are.

    Relations that a caller gave stay, and made ones that would close a cycle with them are left out.
    """
    with engine.store.reading() as reader:
        made = {(each.parent, each.child) for each in reader.made_relations(user)}
        if made == set(edges):
            return len(made)
    with engine.changing() as change:
        known = change.writer.tags(user)
        kept = [edge for edge in edges if edge[0] in known and edge[1] in known]
        made = {(each.parent, each.child) for each in change.writer.made_relations(user)}
        for parent, child in sorted(made.difference(kept)):
            unrelate_within(change, user, parent, child)
        for parent, child in kept:
            _relate_within(change, user, parent, child)
        return len(change.writer.made_relations(user))


def _relate_within(change: Change, user: str, parent: str, child: str) -> None:
    try:
        change.apply(lambda index: index.relate(user=user, parent=parent, child=child))
    except TagCycleError:
        return
    change.writer.relate(user, parent, child, made=True)
