"""Move what the index evicted to the cold tier, in the transaction that made it leave."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Final

from memspan.remember.audit.auditing import audited
from memspan.remember.input.tags import without_made
from memspan.remember.writing.change import Change
from memspan.times import now_micros

__all__ = ["settle_evictions"]

_logger = logging.getLogger("memspan")
_PIECE: Final = 16
"""Records that are moved at a time: searches wait for the interpreter no longer than their lines take."""
_NAMED: Final = 64
"""Records that an entry of the audit names; of more it tells the number."""
_SAID: Final = 8
"""Derived records that a line of the log names; `Memory.evicted` names all of them."""


def settle_evictions(change: Change) -> None:
    """Move the records that the index evicted during a change from `records` to the cold tier, and tell of which
    derived records they were the last source: in the change, the log and the audit.

    Belongs at the end of the transaction: what was evicted may have been written again by then, and stays. O(evicted).
    """
    if not change.evicted:
        return
    gone: dict[str, dict[str, None]] = {}
    for user, id_ in change.evicted:
        if not change.index.contains(user=user, id=id_):
            gone.setdefault(user, {})[id_] = None
    change.settling += change.evicted
    change.evicted.clear()
    now = now_micros()
    for user, ids in gone.items():
        moved: list[str] = []
        for piece in _pieces(ids):
            found = change.writer.fetch(user, piece, embeddings=True)
            tagged = [id_ for id_, record in found.items() if record.tags]
            made = change.writer.made_tags(user, tagged) if tagged else {}
            records = [without_made(record, made) for record in found.values()]
            if change.evicting is not None:
                change.evicting(user, records)
            change.writer.cold.evict(records, now, made)
            moved += [record.id for record in records]
        if not moved:
            continue
        change.moved[user] = change.moved.get(user, 0) + len(moved)
        unsourced = change.writer.cold.unsourced(user, moved)
        derived = {id_ for ids in unsourced.values() for id_ in ids}
        named = moved if len(moved) <= _NAMED else ()
        audited(change, "evict", user=user, ids=named, records=len(moved), unsourced=len(derived))
        if derived:
            change.unsourced[user] = change.unsourced.get(user, frozenset()) | derived
            _logger.warning(
                "%d evicted records of user %r were the last sources of %d derived ones: %s",
                len(unsourced),
                user,
                len(derived),
                _first(sorted(derived)),
            )


def _first(ids: Sequence[str]) -> str:
    said = ", ".join(map(repr, ids[:_SAID]))
    return said if len(ids) <= _SAID else f"{said} and {len(ids) - _SAID:,} more"


def _pieces(ids: Iterable[str]) -> Iterable[list[str]]:
    every = list(ids)
    return (every[start : start + _PIECE] for start in range(0, len(every), _PIECE))
