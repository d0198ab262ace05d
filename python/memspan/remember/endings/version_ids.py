"""How versions are called, and how one tells of which record it is."""

from __future__ import annotations

from typing import Final

from memspan.records import Record
from memspan.times import to_micros

__all__ = ["VERSION_OF", "original_of", "version_id"]

VERSION_OF: Final = "version_of"
"""The key of a version's metadata with the id of its record."""


def version_id(record: Record) -> str:
    """The id of the version that a record becomes when it is overwritten: `<id>@<recorded_at in microseconds>`."""
    assert record.recorded_at is not None
    return f"{record.id}@{to_micros(record.recorded_at)}"


def original_of(record: Record) -> str | None:
    """The id of the record that this one is a version of; `None` when it is none."""
    original = record.metadata.get(VERSION_OF)
    if not isinstance(original, str) or record.retired_at is None or record.recorded_at is None:
        return None
    # Metadata are the caller's to write; an id of this form is not made by chance.
    prefix = f"{original}@{to_micros(record.recorded_at)}"
    return original if record.id == prefix or record.id.startswith(f"{prefix}.") else None
