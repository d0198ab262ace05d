"""Pin records, and let them go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name, checked_names
from memspan.remember.writing.indexing import write_records

__all__ = ["set_pinned"]


@survives_damage
def set_pinned(engine: Engine, user: str, ids: Sequence[str], pinned: bool) -> int:
    """See `Memory.pin` and `Memory.unpin`."""
    checked_name(user, "user")
    wanted = checked_names(ids, "ids", most=1_000_000)
    with engine.changing() as change:
        found = change.writer.fetch(user, wanted, embeddings=True)
        records = [replace(record, pinned=pinned) for record in found.values() if record.pinned is not pinned]
        if not records:
            return 0
        changed = [record.id for record in records]
        made = change.writer.made_tags(user, changed)
        write_records(change, records)
        change.writer.set_made_tags(user, made)
        audited(change, "pin" if pinned else "unpin", user=user, ids=changed)
    engine.note_unsaved(len(records))
    return len(records)
