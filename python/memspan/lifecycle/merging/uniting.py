"""Let one memory stay for those that say the same, in slices that are journalled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import sleep
from typing import Final

from memspan.lifecycle.undo.journal import Journal
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.endings.endings import ended, moment_after
from memspan.remember.endings.gifts import gifts
from memspan.remember.engine import Engine
from memspan.remember.input.tags import tagged, without_made
from memspan.remember.writing.indexing import write_records

from .duplicates import Merger, united

__all__ = ["unite"]

_SLICE: Final = 64
"""Records that a transaction changes, more or less: other writers wait for it."""
_PIECE: Final = 8
"""Records that go into the index at a time: searches wait for these, and for the interpreter between them no longer,
some tenths of a millisecond."""


def unite(
    engine: Engine, mergers: list[Merger], journal: Journal, in_time: Callable[[], bool] = lambda: True
) -> tuple[int, int]:
    """Carry out mergers of one user, as far as the time goes, and take them off the list. (Freed all at once at the
    end, tens of thousands of objects would keep the interpreter for milliseconds.)

    What ends gets `until`, the later of its time and that of what stays for it, and `retired_at`; it stays readable
    by `as_of`, `valid_at` and `get`. What stays gets the sources, tags and entities of all, and
    lets go of them when what brought them is forgotten. A merger is left out when one of its memories is not as it was.

    Returns:
        How many memories ended, and how many mergers were left out.
    """
    count = skipped = 0
    mergers.reverse()
    while mergers and in_time():
        piece: list[Merger] = []
        size = 0
        rest: tuple[Record, ...] = ()
        while mergers and (not piece or size + len(mergers[-1].ending) < _SLICE):
            kept, ending = mergers[-1].kept, mergers[-1].ending
            mergers.pop()
            piece.append(Merger(kept, ending[:_SLICE]))
            rest = ending[_SLICE:]
            size += 1 + len(piece[-1].ending)
        done, left, after = _unite_slice(engine, piece, journal)
        count += done
        skipped += left
        if rest and not left:
            mergers.append(Merger(after.get(kept.id, kept), rest))
    return count, skipped


@survives_damage
def _unite_slice(
    engine: Engine, mergers: Sequence[Merger], journal: Journal
) -> tuple[int, int, dict[str, Record]]:
    """Also returns what was written, by id."""
    ids = [record.id for merger in mergers for record in (merger.kept, *merger.ending)]
    count = skipped = 0
    with engine.changing() as change:
        writer = change.writer
        stored = writer.fetch(journal.user, ids, embeddings=True)
        made = writer.made_tags(journal.user, ids)
        after: dict[str, Record] = {}
        for merger in mergers:
            parts = (merger.kept, *merger.ending)
            if not all(_is_as_seen(stored.get(part.id), part) for part in parts):
                skipped += 1
                continue
            kept, ending = stored[merger.kept.id], [stored[part.id] for part in merger.ending]
            sleep(0)
            fields = united(kept, ending, made)
            with_all = replace(kept, **fields)
            if any(getattr(kept, name) != value for name, value in fields.items()):
                after[kept.id] = _given_first(with_all, made.get(kept.id, ()))
            gave = gifts(kept, with_all, ending, made)
            for record in ending:
                after[record.id] = _ended(record, kept, gave.get(record.id))
                count += 1
        if after:
            sleep(0)
            journal.note(change, stored, after, made)
            records = list(after.values())
            for start in range(0, len(records), _PIECE):
                sleep(0)
                write_records(change, records[start : start + _PIECE])
            writer.set_made_tags(journal.user, {id_: made[id_] for id_ in after if id_ in made})
            audited(change, "consolidate", user=journal.user, ids=list(after), merged=count)
    engine.note_unsaved(len(after))
    return count, skipped, after


def _given_first(record: Record, made: Sequence[str]) -> Record:
    """Tags that were made come last, as wherever they are made."""
    if not made:
        return record
    return tagged(without_made(record, {record.id: made}), made)


def _is_as_seen(now: Record | None, seen: Record) -> bool:
    return now is not None and _seen(now) == _seen(seen)


def _seen(record: Record) -> tuple[object, ...]:
    """What the decision rests on."""
    state = (record.until, record.retired_at, record.expires_at, record.pinned, record.held)
    said = (record.text, record.at, record.kind, record.speaker, record.session, record.sources)
    return (*said, record.metadata, *state)


def _ended(record: Record, kept: Record, gave: Mapping[str, Sequence[str]] | None) -> Record:
    moment = moment_after([record])
    return ended(record, action="merge", by=[kept.id], at=kept.at, moment=moment, gave=gave)
