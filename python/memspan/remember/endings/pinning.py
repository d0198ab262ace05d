"""Pin records, and let them go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name, checked_names

from .restating import restate

__all__ = ["set_pinned"]


_SLICE: Final = 256
"""Records of a transaction; other writers wait for it."""


def set_pinned(engine: Engine, user: str, ids: Sequence[str], pinned: bool) -> int:
    """See `Memory.pin` and `Memory.unpin`."""
    checked_name(user, "user")
    wanted = checked_names(ids, "ids", most=1_000_000)
    pieces = [wanted[start : start + _SLICE] for start in range(0, len(wanted), _SLICE)]
    engine.require_open()
    return sum(_set_pinned(engine, user, piece, pinned) for piece in pieces)


@survives_damage
def _set_pinned(engine: Engine, user: str, ids: Sequence[str], pinned: bool) -> int:
    with engine.changing() as change:
        found = change.writer.fetch(user, ids, embeddings=True)
        records = [replace(record, pinned=pinned) for record in found.values() if record.pinned is not pinned]
        if not records:
            return 0
        restate(change, records)
        changed = [record.id for record in records]
        audited(change, "pin" if pinned else "unpin", user=user, ids=changed)
    engine.note_unsaved(len(records))
    return len(records)
