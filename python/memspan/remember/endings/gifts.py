"""What a memory that ended for another one brought to it: noted with its end, by the field."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from memspan.records import Record
from memspan.remember.input.tags import without_made

from .endings import ENDED, GAVE

__all__ = ["FIELDS", "Values", "gifts", "given_by", "noting", "offered_by", "without"]

FIELDS: Final = ("sources", "tags", "entities")
_MOST: Final = 16 << 10
"""Characters of such a note. Who brings more than that takes along what stays for it."""

Values: TypeAlias = dict[str, set[str]]
"""By field."""


def gifts(
    before: Record, after: Record, ending: Sequence[Record], made: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, list[str]]]:
    """By id of each memory that ends, what it is the first to bring to the one that stays.

    Args:
        before, after: what stays, without and with what it takes over.
        made: by id, which of the tags were made: these are not taken over.
    """
    given: dict[str, dict[str, list[str]]] = {}
    had = {name: set(getattr(before, name)) for name in FIELDS}
    for record in ending:
        offered = offered_by(without_made(record, made))
        new = {
            name: [one for one in getattr(after, name) if one in offered[name] and one not in had[name]]
            for name in FIELDS
        }
        if len(json.dumps(new)) <= _MOST:
            given[record.id] = {name: values for name, values in new.items() if values}
        for name, values in new.items():
            had[name].update(values)
    return given


def without(record: Record, values: Values) -> Record:
    """The record when it has let go of these, and gave none of them either."""
    fields: dict[str, Any] = {
        name: tuple(one for one in getattr(record, name) if one not in values[name]) for name in FIELDS
    }
    gave = given_by(record)
    if any(gave[name] & values[name] for name in FIELDS):
        fields["metadata"] = noting(record, {name: gave[name] - values[name] for name in FIELDS})
    return replace(record, **fields)


def noting(record: Record, values: Values) -> dict[str, Any]:
    """The metadata of a record that says that it gave these."""
    gives = {name: sorted(values[name]) for name in FIELDS if values[name]}
    return {**record.metadata, ENDED: {**record.metadata[ENDED], GAVE: gives}}


def offered_by(record: Record) -> Values:
    """What a memory can bring to another one."""
    return {
        "sources": {*record.sources, record.id},
        "tags": set(record.tags),
        "entities": set(record.entities),
    }


def given_by(record: Record) -> Values:
    """What it was the first to bring, by the note of its end."""
    ended = record.metadata.get(ENDED)
    note: Any = ended.get(GAVE) if isinstance(ended, Mapping) else None
    given = note if isinstance(note, Mapping) else {}
    # A loaded file may say anything.
    lists = {name: given[name] if isinstance(given.get(name), Sequence) else () for name in FIELDS}
    return {name: {one for one in values if isinstance(one, str)} for name, values in lists.items()}
