"""End beliefs by hand: retire records, or put others in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from memspan.arguments import as_texts
from memspan.errors import HeldError, UnknownIdError, invalid
from memspan.lifecycle.undo.journal import Journal
from memspan.recipes import Recipe
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.compose import embedded_text
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.input.checking import checked_record
from memspan.remember.input.fields import checked_name
from memspan.remember.input.identifiers import new_id
from memspan.remember.jobs.turns import follow_turns
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import staying
from memspan.remember.writing.secret_ids import is_secret
from memspan.store.sqlite.statements import chunks
from memspan.times import from_micros, now_micros, to_micros

from .endings import REPLACES, ended, ended_by, moment_after
from .lifetimes import with_lifetimes
from .restating import restate
from .taken_over import inherited

__all__ = ["retire", "supersede"]

_PIECE: Final = 256
"""Records that are ended at a time: those of one piece are in memory."""


@survives_damage
def retire(engine: Engine, *, user: str, ids: Sequence[str], at: datetime | None) -> int:
    """See `Memory.retire`."""
    wanted = list(dict.fromkeys(checked_name(id_, "ids") for id_ in as_texts(ids, "ids")))
    with engine.changing() as change:
        believed, moment = _to_retire(change, user, wanted)
        if believed:
            journal = _journal(change, user, "retire")
        for piece in chunks(believed, _PIECE):
            found = change.writer.fetch(user, piece, embeddings=True)
            before = [found[id_] for id_ in piece]
            end = moment if at is None else at
            after = [ended(record, action="retire", by=(), at=end, moment=moment) for record in before]
            _note(change, journal, before, after)
            restate(change, after)
            change.let_go()
        if believed:
            audited(change, "retire", user=user, ids=believed, records=len(believed))
    engine.note_unsaved(len(believed))
    return len(believed)


def _to_retire(change: Change, user: str, ids: Sequence[str]) -> tuple[list[str], datetime]:
    """Those of the ids whose records are believed, and when that changes.

    Raises:
        UnknownIdError: there is no such record.
        HeldError: some of them are held.
    """
    believed: list[str] = []
    held = 0
    last: Record | None = None
    for piece in chunks(ids, _PIECE):
        found = change.writer.fetch(user, piece)
        for id_ in piece:
            if id_ not in found:
                raise invalid("ids", id_, f"ids of records of {user!r}", UnknownIdError)
        records = [found[id_] for id_ in piece if found[id_].retired_at is None]
        believed += [record.id for record in records]
        held += sum(record.held for record in records)
        known = [*records, *(() if last is None else (last,))]
        last = max(known, key=lambda record: to_micros(record.recorded_at), default=None)
    if held:
        raise HeldError(held, len(believed), "retire")
    return believed, moment_after([] if last is None else [last])


def supersede(
    engine: Engine,
    *,
    user: str,
    id: str,
    text: str | None,
    by: str | None,
    at: datetime | None,
    recipe: Recipe | None = None,
) -> tuple[str, bool]:
    """See `Memory.supersede`; returns the id, and whether there is something to process now.

    Args:
        recipe: of the job of a new turn.
    """
    old = checked_name(id, "id")
    if by is not None:
        if text is not None:
            raise invalid("text", text, "either `text` or `by`, not both")
        new = checked_name(by, "by")
        if new == old:
            raise invalid("by", by, "another record than `id`")
        _replace(engine, user, old, new, at)
        return new, False
    if text is None:
        raise invalid("text", text, "either `text` or `by`")
    with engine.store.reading() as reader:
        record = reader.fetch(user, [old]).get(old)
        made = reader.made_tags(user, [old]).get(old, ())
        secret = is_secret(reader, user, old)
    if record is None:
        raise invalid("id", id, f"the id of a record of {user!r}", UnknownIdError)
    if secret:
        raise invalid("id", id, "an id that no secret has, as the text would be in clear; put another secret")
    moment = from_micros(now_micros())
    successor = checked_record(
        replace(
            record,
            id=new_id(),
            text=text,
            at=moment if at is None else at,
            until=None,
            recorded_at=None,
            tags=tuple(tag for tag in record.tags if tag not in made),
            # The text is the caller's, and not from where the old one was.
            provenance=record.provenance if record.kind == "resource" else None,
            fidelity=1.0,
            sources=(),
            metadata={REPLACES: [old]},
            retired_at=None,
            expires_at=None,
            pinned=False,
            held=False,
        ),
        "",
    )
    return successor.id, _take_over(engine, successor, old, recipe)


@survives_damage
def _take_over(engine: Engine, successor: Record, old: str, recipe: Recipe | None) -> bool:
    """Add the successor and end the old record in one transaction; returns whether there is something to process."""
    embedder = engine.embedder
    (vector,) = engine.embed_texts([embedded_text(successor)])
    with engine.changing() as change:
        change.require_made_by(embedder)
        record = _believed(change, successor.user, old, "id")
        moment = moment_after([record])
        new = replace(
            successor,
            recorded_at=moment,
            embedding=vector,
            # What it was read with may have been forgotten meanwhile.
            tags=tuple(tag for tag in successor.tags if tag in record.tags),
            entities=tuple(name for name in successor.entities if name in record.entities),
        )
        (new,) = with_lifetimes(change.writer, [new], moment)
        _end(change, record, successor.id, successor.at, moment, new)
        # What takes the place of another one does not make room itself, however long ago it happened.
        with staying(change) as write:
            write([new])
        jobs = follow_turns(change, [new], {}, recipe)
    engine.note_unsaved(2)
    return jobs


@survives_damage
def _replace(engine: Engine, user: str, old: str, new: str, at: datetime | None) -> None:
    with engine.changing() as change:
        record = _believed(change, user, old, "id")
        successor = _believed(change, user, new, "by")
        moment = moment_after([record, successor])
        _end(change, record, new, successor.at if at is None else at, moment)
    engine.note_unsaved(1)


def _end(
    change: Change,
    record: Record,
    by: str,
    at: datetime,
    moment: datetime,
    new: Record | None = None,
) -> None:
    """End a record; `new` is what takes its place and is about to be written."""
    if record.held:
        raise HeldError(1, 1, "supersede")
    gave = None if new is None else inherited(change.writer, record, new)
    over = ended(record, action="supersede", by=[by], at=at, moment=moment, gave=gave)
    journal = _journal(change, record.user, "supersede")
    _note(change, journal, [record], [over] if new is None else [over, new])
    restate(change, [over])
    audited(change, "supersede", user=record.user, ids=[record.id, by])


def _journal(change: Change, user: str, action: str) -> Journal:
    """A run of its own for what is about to be done to a user's records, for `Memory.undo`."""
    journal = Journal(user, action)
    # The run ends when it has noted what has to make room for the successor.
    change.settled = lambda: journal.end_within(change.writer, {})
    return journal


def _note(change: Change, journal: Journal, before: Sequence[Record], after: Sequence[Record]) -> None:
    made = change.writer.made_tags(journal.user, [record.id for record in before])
    known = {record.id: record for record in before}
    journal.note(change, known, {record.id: record for record in after}, made)


def _believed(change: Change, user: str, id_: str, argument: str) -> Record:
    record = change.writer.fetch(user, [id_], embeddings=True).get(id_)
    if record is None:
        raise invalid(argument, id_, f"the id of a record of {user!r}", UnknownIdError)
    if record.retired_at is not None:
        action, by = ended_by(record)
        said = f" ({action} by {', '.join(by)})" if by else ""
        raise invalid(argument, id_, f"a record that is believed; this one was retired{said}")
    return record
