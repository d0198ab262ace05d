"""Counts and sizes."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from memspan.store.cold import EVICTED, ORIGINAL

from .capacity.quota_settings import stored_quotas
from .damage import survives_damage
from .engine import Engine
from .input.fields import checked_name

__all__ = ["stats"]


@survives_damage
def stats(engine: Engine, user: str | None) -> dict[str, Any]:
    """See `Memory.stats`."""
    if user is not None:
        checked_name(user, "user")
    with engine.looking(lambda index: index.stats(user=user)) as (indexed, reader):
        summary = reader.summary(user)
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


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
