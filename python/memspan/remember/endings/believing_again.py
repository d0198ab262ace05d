"""What is believed again because nothing is left of that for which it ended."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records

from .endings import before_ending, ended_by

__all__ = ["believe_again"]

_BY_SLEEP: Final = ("merge", "update", "retire")


def believe_again(change: Change, user: str, gone: Collection[str]) -> None:
    """Take back the ends that sleep gave to records because of these alone.

    A merged text that is gone took what its parts said along, and one that says something else is no reason against
    another. The next sleep decides anew.

    Args:
        gone: ids of records that were taken out, or say something else now. Not those that were forgotten: what ended
            because of these stays ended.
    """
    writer, reasons = change.writer, frozenset(gone)
    naming = sorted(writer.traces.mentioning(user, reasons)) if reasons else []
    back = []
    for record in writer.fetch(user, naming, embeddings=True).values() if naming else ():
        action, by = ended_by(record)
        if action in _BY_SLEEP and reasons.issuperset(by):
            back.append(before_ending(record))
    if back:
        made = writer.made_tags(user, [record.id for record in back])
        write_records(change, back)
        writer.set_made_tags(user, made)
