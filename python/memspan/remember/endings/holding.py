"""Legal holds: what is held cannot be forgotten, evicted, merged or ended, wherever it lies."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.remember.selecting import Selection
from memspan.remember.writing.indexing import write_records

__all__ = ["hold"]

_BATCH: Final = 512


@survives_damage
def hold(engine: Engine, *, user: str, selection: Selection, held: bool) -> int:
    """See `Memory.hold` and `Memory.release`. One transaction; linear in the user's records, but for ids."""
    checked_name(user, "user")
    changed: list[str] = []
    with engine.changing() as change:
        writer = change.writer
        chosen = writer.traces.chosen(user, selection.chosen)
        ids = sorted(chosen | writer.traces.versions(user, chosen))
        for start in range(0, len(ids), _BATCH):
            piece = ids[start : start + _BATCH]
            stored = writer.fetch(user, piece, embeddings=True)
            records = [replace(record, held=held) for record in stored.values() if record.held is not held]
            if records:
                made = writer.made_tags(user, [record.id for record in records])
                write_records(change, records)
                writer.set_made_tags(user, made)
                changed += [record.id for record in records]
            changed += writer.cold.set_held(user, [id_ for id_ in piece if id_ not in stored], held)
        if changed:
            action = "hold" if held else "release"
            audited(change, action, user=user, ids=changed, by=selection.by, records=len(changed))
    engine.note_unsaved(len(changed))
    return len(changed)
