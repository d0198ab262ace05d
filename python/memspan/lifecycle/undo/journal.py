"""`Journal`: what a run changes, written down in the transactions that change it, so that it can be undone."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from unicodedata import normalize

from memspan.errors import UndoError
from memspan.records import Record
from memspan.remember.endings.endings import ENDED, GAVE, REPLACES
from memspan.remember.engine import Engine
from memspan.remember.input.tags import without_made
from memspan.remember.transfer.export_format import decode_record_line, encode_record_line
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records
from memspan.store import StoreWriter
from memspan.store.runs import RunChange
from memspan.times import Micros, now_micros, to_micros

__all__ = ["Before", "Journal", "fingerprint", "is_left_as", "left_cold", "read_before", "rewrite"]

_EVICTED: Final = "evicted_at"
"""Of what a record was before: it lay in the cold tier, since then."""
_COLD: Final = "cold:"
"""Before the fingerprint of what a run left in the cold tier."""
_SLEEP: Final = "sleep"
"""The part of a run's report with what a model decided."""
_ID_BYTES: Final = 10
_OWN: Final = ("pinned", "held", "expires_at")
"""What belongs to whoever set it: no run changes it, and undoing leaves it as it is."""


class Journal:
    """One run over one user's memories. It is in the store from its first change on. Not thread-safe.

    Args:
        action: what the run is called.
    """

    def __init__(self, user: str, action: str = "consolidate") -> None:
        self.user: Final = user
        self.action: Final = action
        self.id: Final = secrets.token_hex(_ID_BYTES)
        self.began = False
        """Whether there was something to write down."""
        self.decisions: dict[str, Any] = {}
        """What a model decided, as `log_of` has it; kept with the report."""

    def follow(self, change: Change) -> None:
        """Write down what goes to the cold tier at the end of a change."""
        writer = change.writer
        change.evicting = lambda user, records: self._note_evicted(writer, user, records)

    def note(
        self,
        change: Change,
        before: Mapping[str, Record],
        after: Mapping[str, Record | None],
        made_tags: Mapping[str, Sequence[str]],
    ) -> None:
        """Write down changes, in their transaction and before they are made, and what has to make room for them.

        Args:
            before: the records that there were, by id; those that are not in `after` do not count.
            after: what the run makes of each; `None` when it takes the record out.
            made_tags: of the records before and after; no run changes them.

        Raises:
            UndoError: somebody undid the run while it was under way; the transaction must not be committed.
        """
        self.follow(change)
        absent = [id_ for id_ in after if id_ not in before]
        cold = {}
        if absent and not change.writer.cold.empty:
            cold = change.writer.cold.fetch(self.user, absent)
        changes = []
        for id_, record in after.items():
            line = None
            if id_ in before:
                line = _dump(without_made(before[id_], made_tags))
            elif id_ in cold:
                line = _dump(cold[id_].record, to_micros(cold[id_].moved_at))
            left = None if record is None else fingerprint(without_made(record, made_tags))
            changes.append(RunChange(id_, line, None, left))
        self._append(change.writer, changes)

    def write(self, change: Change, records: Sequence[Record]) -> None:
        """Write records as `write_records` does, and write down what they replace."""
        ids = [record.id for record in records]
        before = change.writer.fetch(self.user, ids)
        made = change.writer.made_tags(self.user, ids)
        self.note(change, before, {record.id: record for record in records}, made)
        write_records(change, records)

    def end(self, engine: Engine, report: Mapping[str, Any]) -> None:
        """Say that the run is done. One that changed nothing is kept until the next one ends."""
        with engine.store.writing() as writer:
            self.end_within(writer, report)

    def end_within(self, writer: StoreWriter, report: Mapping[str, Any]) -> None:
        """As `end`, in a transaction that is open."""
        report = {**report, _SLEEP: self.decisions} if self.decisions else report
        writer.runs.begin(self.user, self.id, self.action, now_micros())
        writer.runs.end(self.id, json.dumps(report, ensure_ascii=False), now_micros())

    def _note_evicted(self, writer: StoreWriter, user: str, records: Sequence[Record]) -> None:
        if user == self.user:
            self._append(
                writer,
                [RunChange(one.id, _dump(one), None, _COLD + fingerprint(one)) for one in records],
            )

    def _append(self, writer: StoreWriter, changes: Sequence[RunChange]) -> None:
        # Each time: the transaction of the first change may have been rolled back.
        writer.runs.begin(self.user, self.id, self.action, now_micros())
        self.began = True
        if not writer.runs.note(self.id, changes):
            raise UndoError(f"the run {self.id} was undone while it was under way")


@dataclass(frozen=True, slots=True)
class Before:
    """What a record was before a run."""

    record: Record
    """Without embedding, and without the tags that were made for it."""
    evicted_at: Micros | None
    """When it had gone to the cold tier, if it lay there."""


def fingerprint(record: Record) -> str:
    """Of all that a run may change; without what belongs to whoever set it, and without what forgetting another record
    changes in this one: the ids that are said to have ended it, what one of these took over, and of what it took the
    place of.

    Args:
        record: without the tags that were made for it.
    """
    named = {key: value for key, value in record.metadata.items() if key != REPLACES}
    return _fingerprint(replace(record, metadata=named))


def _fingerprint(record: Record) -> str:
    line = encode_record_line(record, embedding=False)
    for field in _OWN:
        line.pop(field, None)
    ended = record.metadata.get(ENDED)
    if isinstance(ended, Mapping):
        rest = {key: value for key, value in ended.items() if key not in ("by", GAVE)}
        line["metadata"] = {**record.metadata, ENDED: rest}
    return hashlib.sha256(json.dumps(line, sort_keys=True).encode()).hexdigest()


def rewrite(writer: StoreWriter, now: Record, changed: Callable[[Record], Record]) -> None:
    """Let runs have left a record, and found it, with a change that is nobody's: they can be undone as before.

    Args:
        now: the record before the change, without the tags that were made for it.
        changed: makes it.
    """
    user, left, lines = now.user, {fingerprint(now): fingerprint(changed(now))}, {}
    for _, each in writer.runs.changes_of(user, [now.id]):
        if each.before is not None:
            before = read_before(each, user)
            after = changed(before.record)
            left[fingerprint(before.record)] = fingerprint(after)
            lines[each.before] = _dump(after, before.evicted_at)
    left |= {_COLD + old: _COLD + new for old, new in left.items()}
    writer.runs.rewrite(user, now.id, lines, left)


def left_cold(change: RunChange) -> bool:
    """Whether a run left the record in the cold tier."""
    return change.after is not None and change.after.startswith(_COLD)


def is_left_as(change: RunChange, record: Record | None) -> bool:
    """Whether a record, without made tags, says what a run left of it, wherever it lies now."""
    if record is None or change.after is None:
        return record is None and change.after is None
    left = change.after.removeprefix(_COLD)
    # Or as older journals have it, some of them with tags whose letters and marks were not yet composed.
    apart = replace(record, tags=tuple(normalize("NFD", tag) for tag in record.tags))
    return any(left in (fingerprint(form), _fingerprint(form)) for form in (record, apart))


def read_before(change: RunChange, user: str) -> Before:
    """What a change began with."""
    assert change.before is not None
    line = json.loads(change.before)
    evicted_at = line.pop(_EVICTED, None)
    return Before(
        decode_record_line({**line, "user": user}, f"the journal's {change.record}", None), evicted_at
    )


def _dump(record: Record, evicted_at: Micros | None = None) -> str:
    line = encode_record_line(record, embedding=False)
    line.pop("user")
    if evicted_at is not None:
        line[_EVICTED] = evicted_at
    return json.dumps(line, ensure_ascii=False)
