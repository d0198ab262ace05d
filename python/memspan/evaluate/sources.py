"""Which turns a record brings with it, when what was asked for are turns."""

from __future__ import annotations

from memspan.records import Record

__all__ = ["brought_by"]


def brought_by(record: Record) -> tuple[str, ...]:
    """A turn brings itself; a record that was made of turns brings its sources.

    A record of which the model did not say where it comes from has all turns of its window as sources and brings
    none: it would bring twenty turns at once, and any memory that keeps windows would be perfect.
    """
    if not record.sources:
        return (record.id,)
    return () if record.metadata.get("sources") == "window" else record.sources
