"""Legal holds: what is held cannot be forgotten, evicted, merged or ended, wherever it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memspan.remember.audit.auditing import audited
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.remember.selecting import Selection

from .restating import restate

__all__ = ["hold"]

_SLICE: Final = 256
"""Records of a transaction, beside their versions; other writers wait for it."""


def hold(engine: Engine, *, user: str, selection: Selection, held: bool) -> int:
    """See `Memory.hold` and `Memory.release`. Linear in the user's records, but for ids."""
    checked_name(user, "user")
    engine.require_open()
    with engine.store.reading() as reader:
        traces = reader.traces
        ids = sorted(traces.chosen(user, selection.chosen))
        if not held and selection.chosen.ids is None:
            # Of very many, few are: the others are not to be read and compared.
            ending = traces.held_ids(user)
            ending.update(traces.bases(user, ending).values())
            ids = [id_ for id_ in ids if id_ in ending]
    pieces = [ids[start : start + _SLICE] for start in range(0, len(ids), _SLICE)]
    return sum(_hold(engine, user, piece, selection.by, held) for piece in pieces)


@survives_damage
def _hold(engine: Engine, user: str, chosen: Sequence[str], by: str, held: bool) -> int:
    with engine.changing() as change:
        writer = change.writer
        # What one of them said until a moment ago may be a version by now.
        ids = sorted({*chosen, *writer.traces.versions(user, chosen)})
        stored = writer.fetch(user, ids, embeddings=True)
        records = [replace(record, held=held) for record in stored.values() if record.held is not held]
        restate(change, records)
        changed = [record.id for record in records]
        changed += writer.cold.set_held(user, [id_ for id_ in ids if id_ not in stored], held)
        if changed:
            action = "hold" if held else "release"
            audited(change, action, user=user, ids=changed, by=by, records=len(changed))
    engine.note_unsaved(len(changed))
    return len(changed)
