"""What is believed again because nothing is left of that for which it ended."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from memspan.records import Record
from memspan.remember.input.tags import tagged
from memspan.remember.places import places
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records

from .endings import before_ending, ended_by

__all__ = ["believe_again"]

_BY_SLEEP: Final = ("merge", "update", "retire")


def believe_again(change: Change, user: str, gone: Collection[str]) -> None:
    """Take back the ends that sleep gave to records because of these alone, wherever they lie.

    A merged text that is gone took what its parts said along, and one that says something else is no reason against
    another. The next sleep decides anew. What made room since waits in the cold tier, as what it was.

    Args:
        gone: ids of records that were taken out, or say something else now. Not those that were forgotten: what ended
            because of these stays ended.
    """
    writer, reasons = change.writer, frozenset(gone)
    naming = sorted(writer.traces.ended_for(user, reasons)) if reasons else []
    found = places(writer, user, naming) if naming else {}
    live: list[Record] = []
    for id_, place in found.items():
        action, by = ended_by(place.record)
        if action not in _BY_SLEEP or not reasons.issuperset(by):
            continue
        record = before_ending(place.record)
        if place.moved_at is None:
            live.append(tagged(record, place.made_tags))
        else:
            writer.cold.evict([record], place.moved_at, {id_: place.made_tags})
    if live:
        write_records(change, live)
        writer.set_made_tags(user, {one.id: found[one.id].made_tags for one in live})
