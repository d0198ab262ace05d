"""What was believed before, in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection

__all__ = ["SqliteBeliefs"]


class SqliteBeliefs:
    """`BeliefReader` on an open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def beginning(self, user: str, prefixes: Collection[str]) -> set[str]:
        """See `BeliefReader.beginning`."""
        found: set[str] = set()
        for prefix in prefixes:
            # Text is compared byte by byte: all that begins so lies together in the index of ids.
            rows = self._connection.execute(
                "SELECT r.id FROM records r JOIN users u ON u.pk = r.user_pk "
                "WHERE u.name = ? AND r.id >= ? AND r.id < ?",
                (user, prefix, _after(prefix)),
            ).fetchall()
            found.update(id_ for (id_,) in rows)
        return found

    def endings(self, user: str) -> dict[str, tuple[str, ...]]:
        """See `BeliefReader.endings`."""
        rows = self._connection.execute(
            "SELECT r.id, json_extract(r.metadata, '$.ended.by') FROM record_states x "
            "JOIN records r ON r.pk = x.record_pk JOIN users u ON u.pk = r.user_pk "
            "WHERE x.retired_at IS NOT NULL AND u.name = ? AND json_type(r.metadata, '$.ended.by') = 'array'",
            (user,),
        ).fetchall()
        return {id_: tuple(name for name in json.loads(by) if isinstance(name, str)) for id_, by in rows}


def _after(prefix: str) -> str:
    """The least text above all that begin with the prefix, which ends in ASCII."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
