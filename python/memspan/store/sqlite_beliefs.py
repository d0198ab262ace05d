"""What was believed before, in SQLite."""

from __future__ import annotations

import json
import sqlite3

from .beliefs import Ending

__all__ = ["SqliteBeliefs"]


class SqliteBeliefs:
    """`BeliefReader` on an open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def endings(self, user: str) -> list[Ending]:
        """See `BeliefReader.endings`."""
        rows = self._connection.execute(
            "SELECT r.id, json_extract(r.metadata, '$.version_of'), json_extract(r.metadata, '$.ended.by') "
            "FROM record_states x JOIN records r ON r.pk = x.record_pk JOIN users u ON u.pk = r.user_pk "
            "WHERE x.retired_at IS NOT NULL AND u.name = ? AND json_type(r.metadata, '$.ended.by') = 'array'",
            (user,),
        ).fetchall()
        return [Ending(id_, _record_of(id_, base), _texts(by)) for id_, base, by in rows]


def _record_of(id_: str, base: object) -> str:
    return base if isinstance(base, str) and id_.startswith(f"{base}@") else id_


def _texts(by: str) -> tuple[str, ...]:
    return tuple(name for name in json.loads(by) if isinstance(name, str))
