"""Counts and sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from memspan.index import Index
from memspan.store import Extent, StoreReader
from memspan.store.cold import EVICTED, ORIGINAL
from memspan.times import Micros, from_micros, to_micros

from .capacity.quota_settings import stored_quotas
from .damage import survives_damage
from .engine import Engine
from .input.fields import checked_name

__all__ = ["stats"]

_FEW_USERS: Final = 1_000
"""Whose figures the index gives in some 5 ms, for which writers wait."""


@survives_damage
def stats(engine: Engine, user: str | None) -> dict[str, Any]:
    """See `Memory.stats`."""
    if user is not None:
        checked_name(user, "user")
    with engine.looking(lambda index: _indexed(index, user)) as ((indexed, known), reader):
        summary = _summary(reader, user, [reader.extent()] if known is None else known)
        counts = reader.cold.counts(user)
        summary["cold"] = {"evicted": counts[EVICTED], "originals": counts[ORIGINAL]}
        summary["unsourced"] = reader.cold.unsourced_records(user)
        summary["pinned"] = sum(pinned for _, _, pinned in reader.quotas.pinned(user))
        quotas = stored_quotas(reader, user)
        summary["quotas"] = None if quotas is None else {**quotas.to_dict(), "kinds": quotas.capacities}
        summary["relations"] = len(reader.relations(user))
        summary["index"] = {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in indexed.items()
        }
        if user is not None:
            return {"user": user, **summary}
        users, sequence = len(reader.users()), reader.sequence()
    path = engine.store.path
    return {
        "path": str(path),
        "users": users,
        **summary,
        "embedder": asdict(engine.embedder.identity),
        "analyzer": engine.analyzer,
        "row_format": engine.options.row_format,
        "sequence": sequence,
        "bytes": {
            "database": _size(path),
            "log": _size(path.with_name(path.name + "-wal")),
            "snapshot": _size(engine.snapshots.path),
        },
    }


def _indexed(index: Index, user: str | None) -> tuple[dict[str, Any], list[Extent] | None]:
    """The figures, and what the index says of users whose records the database would have to read one by one; `None`
    where it is the database that says it sooner."""
    figures = index.stats(user=user)
    if user is not None:
        return figures, [_extent(figures)]
    if not figures["users"] == figures["resident_users"] <= _FEW_USERS:
        return figures, None
    return figures, [_extent(index.stats(user=name)) for name in index.users()]


def _extent(figures: Mapping[str, Any]) -> Extent:
    return Extent(
        figures["kinds"], figures["sessions"], _micros(figures["earliest"]), _micros(figures["latest"])
    )


def _micros(moment: datetime | None) -> Micros | None:
    return None if moment is None else to_micros(moment)


def _summary(reader: StoreReader, user: str | None, extents: Sequence[Extent]) -> dict[str, Any]:
    kinds = Counter[str]()
    for each in extents:
        kinds.update(each.kinds)
    first = min((each.first for each in extents if each.first is not None), default=None)
    last = max((each.last for each in extents if each.last is not None), default=None)
    return {
        "records": kinds.total(),
        **reader.summary(user),
        "kinds": dict(sorted(kinds.items())),
        "sessions": sum(each.sessions for each in extents),
        "first": None if first is None else from_micros(first).isoformat(),
        "last": None if last is None else from_micros(last).isoformat(),
    }


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
