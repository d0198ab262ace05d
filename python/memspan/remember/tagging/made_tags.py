"""Give stored records the tags that were made for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from memspan.limits import MAX_TAGS
from memspan.records import Record
from memspan.remember.input.tags import without_made
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records
from memspan.times import to_micros

__all__ = ["beside", "write_cold_made_tags", "write_made_tags"]


def beside(given: Record, chosen: Sequence[str]) -> tuple[str, ...]:
    """Those of the chosen tags that the record does not have, as far as there is room."""
    return tuple(name for name in chosen if name not in given.tags)[: MAX_TAGS - len(given.tags)]


def write_made_tags(
    change: Change,
    user: str,
    wanted: Mapping[str, Sequence[str]],
    skip: Callable[[Record], bool] = lambda record: False,
) -> int:
    """Put made tags in place of those that records have; returns how many records that changed.

    Args:
        wanted: by the records' ids; those that are not there any more are left out.
        skip: is asked for each stored record whether to leave it as it is.
    """
    writer = change.writer
    made = writer.made_tags(user, list(wanted))
    records: list[Record] = []
    added: dict[str, tuple[str, ...]] = {}
    for id_, stored in writer.fetch(user, list(wanted), embeddings=True).items():
        given = without_made(stored, made)
        chosen = beside(given, wanted[id_])
        if chosen != made.get(id_, ()) and not skip(stored):
            added[id_] = chosen
            records.append(replace(given, tags=(*given.tags, *chosen)))
    if records:
        write_records(change, records)
        writer.set_made_tags(user, added)
    return len(records)


def write_cold_made_tags(change: Change, user: str, wanted: Mapping[str, Sequence[str]]) -> None:
    """As `write_made_tags`, of what made room for others: it has them when it comes back."""
    cold = change.writer.cold
    copies = {} if cold.empty else cold.fetch(user, list(wanted), embeddings=True)
    for id_, copy in copies.items():
        chosen = beside(copy.record, wanted[id_])
        if chosen != copy.made_tags:
            cold.evict([copy.record], to_micros(copy.moved_at), {id_: chosen})
