"""`Journal`: what a run changes, written down in the transactions that change it, so that it can be undone."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

from memspan.errors import UndoError
from memspan.records import Record
from memspan.remember.change import Change
from memspan.remember.engine import Engine
from memspan.remember.export_format import decode_record_line, encode_record_line
from memspan.remember.indexing import write_records
from memspan.store import StoreWriter
from memspan.store.runs import RunChange
from memspan.times import now_micros

__all__ = ["Journal", "fingerprint", "read_before"]

_MADE: Final = "made_tags"
_SLEEP: Final = "sleep"
"""The part of a run's report with what a model decided."""
_ID_BYTES: Final = 10
_OWN: Final = ("pinned", "held")
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

    def note(
        self,
        writer: StoreWriter,
        before: Mapping[str, Record],
        after: Mapping[str, Record | None],
        made_tags: Mapping[str, Sequence[str]],
    ) -> None:
        """Write down changes, in their transaction.

        Args:
            before: the records that there were, by id; those that are not in `after` do not count.
            after: what the run makes of each; `None` when it takes the record out.
            made_tags: those that the records had before.

        Raises:
            UndoError: somebody undid the run while it was under way; the transaction must not be committed.
        """
        # Each time: the transaction of the first change may have been rolled back.
        writer.runs.begin(self.user, self.id, self.action, now_micros())
        self.began = True
        changes = []
        for id_, record in after.items():
            old = before.get(id_)
            line = None if old is None else _dump(old, made_tags.get(id_, ()))
            changes.append(RunChange(id_, line, None, None if record is None else fingerprint(record)))
        if not writer.runs.note(self.id, changes):
            raise UndoError(f"the run {self.id} was undone while it was under way")

    def write(self, change: Change, records: Sequence[Record]) -> None:
        """Write records as `write_records` does, and write down what they replace."""
        ids = [record.id for record in records]
        before = change.writer.fetch(self.user, ids)
        made = change.writer.made_tags(self.user, ids)
        self.note(change.writer, before, {record.id: record for record in records}, made)
        write_records(change, records)

    def end(self, engine: Engine, report: Mapping[str, Any]) -> None:
        """Say that the run is done. One that changed nothing is kept until the next one ends."""
        report = {**report, _SLEEP: self.decisions} if self.decisions else report
        with engine.store.writing() as writer:
            writer.runs.begin(self.user, self.id, self.action, now_micros())
            writer.runs.end(self.id, json.dumps(report, ensure_ascii=False), now_micros())


def fingerprint(record: Record) -> str:
    """Of all that a run may change; without what belongs to whoever set it, the vector, and made tags."""
    line = encode_record_line(record, embedding=False)
    for field in _OWN:
        line.pop(field, None)
    return hashlib.sha256(json.dumps(line, sort_keys=True).encode()).hexdigest()


def read_before(change: RunChange, user: str) -> tuple[Record, tuple[str, ...]]:
    """The record that a change began with, without embedding, and the tags that were made for it."""
    assert change.before is not None
    line = json.loads(change.before)
    made = tuple(line.pop(_MADE, ()))
    return decode_record_line({**line, "user": user}, f"the journal's {change.record}", None), made


def _dump(record: Record, made: Sequence[str]) -> str:
    line = encode_record_line(record, embedding=False)
    line.pop("user")
    if made:
        line[_MADE] = list(made)
    return json.dumps(line, ensure_ascii=False)
