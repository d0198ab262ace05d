"""Carry out what sleep decided: all of it in one transaction, and each change only if its memories are as they
were."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from memspan.lifecycle.undo.journal import Journal
from memspan.limits import MAX_TAGS
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.compose import embedded_text
from memspan.remember.damage import survives_damage
from memspan.remember.endings.endings import REPLACES, ended, moment_after
from memspan.remember.endings.lifetimes import with_lifetimes
from memspan.remember.engine import Engine
from memspan.remember.input.fields import MAX_NAMES
from memspan.remember.input.tags import without_made
from memspan.remember.writing.indexing import write_records
from memspan.times import to_micros

from .changes import Change
from .queues import SAID, said_at, turn_times

__all__ = ["Applied", "apply_changes", "new_record"]

_SEEN: Final = ("text", "at", "kind", "sources", "entities")
_FIDELITY: Final = 0.9
"""Of one merge or update, as of a statement that was made from turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What became of changes."""

    merged: int = 0
    updated: int = 0
    retired: int = 0
    skipped: int = 0
    """Not applied: a memory was changed, forgotten, or has ended meanwhile."""
    made: tuple[str, ...] = ()
    """Ids of the new memories."""


@survives_damage
def apply_changes(
    engine: Engine,
    changes: Sequence[Change],
    *,
    metadata: Mapping[str, Any] | None = None,
    skipped: Callable[[Change], None] = lambda change: None,
    journal: Journal | None = None,
) -> Applied:
    """Write new memories and the ends of old ones, atomically; searches see all of it or nothing.

    Memories that end stay readable, as the state before (`as_of`) and as history (`valid_at`). Applying the same
    changes again does nothing: their memories have an end then. So does a change whose memory was forgotten: its text
    must not come back in another one.

    Args:
        changes: of one user or of several, as `settled` gives them.
        metadata: for new memories, such as the model and the prompt.
        skipped: is told of each change that was not applied.
        journal: of the run that they belong to, so that they can be undone.

    Raises:
        EmbedderError: nothing was changed.
    """
    embedder = engine.embedder
    made = [new_record(change, {**(metadata or {}), **_said(engine, change)}) for change in changes]
    texts = [embedded_text(record) for record in made if record is not None]
    vectors = iter(engine.embed_texts(texts)) if texts else iter(())
    new = [None if record is None else replace(record, embedding=next(vectors)) for record in made]
    counts = {"merge": 0, "update": 0, "retire": 0}
    ids: list[str] = []
    written = applied = 0
    with engine.changing() as change_:
        change_.require_made_by(embedder)
        for user in dict.fromkeys(change.ending[0].user for change in changes):
            own = [pair for pair in zip(changes, new, strict=True) if pair[0].ending[0].user == user]
            wanted = {record.id for change, _ in own for record in (*change.ending, *change.evidence)}
            stored = change_.writer.fetch(user, list(wanted), embeddings=True)
            made_tags = change_.writer.made_tags(user, list(wanted))
            moment = moment_after(stored.values())
            records: dict[str, Record] = {}
            fresh: list[Record] = []
            for change, record in own:
                if not _holds(change, stored, records):
                    skipped(change)
                    continue
                applied += 1
                counts[change.action] += len(change.ending) if change.action == "update" else 1
                for ending in change.ending:
                    records[ending.id] = _ended(stored[ending.id], change, moment)
                if record is not None:
                    record, made_tags[record.id] = _with_tags(
                        record, [stored[ending.id] for ending in change.ending], made_tags
                    )
                    records[record.id] = replace(record, recorded_at=moment)
                    fresh.append(records[record.id])
                    ids.append(record.id)
            for record in with_lifetimes(change_.writer, fresh, moment):
                records[record.id] = record
            if records and journal is not None:
                journal.note(change_, stored, records, made_tags)
            if records:
                write_records(change_, list(records.values()))
                kept = {id_: tags for id_, tags in made_tags.items() if id_ in records}
                if kept:
                    change_.writer.set_made_tags(user, kept)
                audited(change_, "update", user=user, ids=list(records), records=len(records))
                written += len(records)
    engine.note_unsaved(written)
    return Applied(
        merged=counts["merge"],
        updated=counts["update"],
        retired=counts["retire"],
        skipped=len(changes) - applied,
        made=tuple(ids),
    )


def new_record(change: Change, metadata: Mapping[str, Any]) -> Record | None:
    """The memory that takes the place of those that end, without embedding and tags; `None` where none is made.

    Its sources are those of all memories that it rests on, and these themselves, so that forgetting any of them
    erases it too. It happened when the latest of them did.
    """
    if change.text is None:
        return None
    first, parts = change.ending[0], (*change.ending, *change.evidence)
    sources = _united((*part.sources, part.id) for part in parts)
    shared = {
        name: first.metadata[name]
        for name in ("recipe", "session", "topic")
        if all(part.metadata.get(name) == first.metadata.get(name) for part in parts)
        and name in first.metadata
    }
    known = [part.importance for part in parts if part.importance is not None]
    return Record(
        id=change.id,
        user=first.user,
        text=change.text,
        at=change.at,
        kind=first.kind,
        session=_shared(part.session for part in parts),
        speaker=_shared(part.speaker for part in parts),
        entities=_united(part.entities for part in parts)[:MAX_NAMES],
        importance=max(known, default=None),
        provenance=_shared(part.provenance for part in parts),
        fidelity=_FIDELITY * min(part.fidelity for part in parts),
        sources=sources[:MAX_NAMES],
        metadata={
            "recipe": first.metadata.get("recipe"),
            **shared,
            **metadata,
            "stage": "sleep",
            "action": change.action,
            REPLACES: [part.id for part in change.ending],
        },
    )


def _said(engine: Engine, change: Change) -> dict[str, int]:
    """For the metadata: when the last of what it rests on was said, if that can be told."""
    if change.text is None:
        return {}
    parts = (*change.ending, *change.evidence)
    sources = dict.fromkeys(id_ for part in parts for id_ in part.sources)
    with engine.store.reading() as reader:
        turns = turn_times(reader.fetch(parts[0].user, list(sources)).values())
    times = [said_at(part, turns) for part in parts]
    known = [to_micros(time) for time in times if time is not None]
    return {SAID: max(known)} if len(known) == len(times) else {}


def _with_tags(
    record: Record, ending: Sequence[Record], made: Mapping[str, Sequence[str]]
) -> tuple[Record, tuple[str, ...]]:
    """The record with the tags of those that end, and which of these were made."""
    given = _united(without_made(part, made).tags for part in ending)[:MAX_TAGS]
    tags = _united((given, *(made.get(part.id, ()) for part in ending)))[:MAX_TAGS]
    return replace(record, tags=tags), tags[len(given) :]


def _ended(stored: Record, change: Change, moment: datetime) -> Record:
    """The memory with its end; when it was learnt stays, so that `as_of` still finds it."""
    by = [record.id for record in change.evidence] if change.text is None else [change.id]
    return ended(stored, action=change.action, by=by, at=change.at, moment=moment)


def _holds(change: Change, stored: Mapping[str, Record], changed: Mapping[str, Record]) -> bool:
    """Whether every memory that a change rests on is as it was when it was decided."""
    for seen in (*change.ending, *change.evidence):
        now = stored.get(seen.id)
        if now is None or now.until is not None or now.retired_at is not None:
            return False
        # Sources and entities, too: what came from a memory that was forgotten meanwhile must not come back.
        if any(getattr(now, name) != getattr(seen, name) for name in _SEEN):
            return False
        # What is pinned or held stays as it is.
        if (now.pinned or now.held) and any(now.id == one.id for one in change.ending):
            return False
    untouched = all(one.id not in changed for one in change.ending)
    sources = {id_ for part in (*change.ending, *change.evidence) for id_ in (*part.sources, part.id)}
    # Sources that a record cannot hold would be lost, and with them what must be forgotten together.
    return untouched and (change.text is None or len(sources) <= MAX_NAMES)


def _united(parts: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for part in parts for item in part))


def _shared(values: Iterable[str | None]) -> str | None:
    """The value that all have."""
    known = set(values)
    return known.pop() if len(known) == 1 else None
