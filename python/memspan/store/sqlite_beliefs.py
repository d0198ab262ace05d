"""What was believed before, in SQLite."""

from __future__ import annotations

import json

from .beliefs import Ending
from .sqlite_rows import SqliteRows

__all__ = ["SqliteBeliefs"]


class SqliteBeliefs(SqliteRows):
    """`BeliefReader` on an open transaction."""

    def endings(self, user: str) -> list[Ending]:
        """See `BeliefReader.endings`."""
        rows = self._all(
            "SELECT r.id, json_extract(r.metadata, '$.version_of'), json_extract(r.metadata, '$.ended.by') "
            "FROM record_states x JOIN records r ON r.pk = x.record_pk JOIN users u ON u.pk = r.user_pk "
            "WHERE x.retired_at IS NOT NULL AND u.name = ? AND json_type(r.metadata, '$.ended.by') = 'array'",
            (user,),
        )
        return [Ending(id_, _record_of(id_, base), _texts(by)) for id_, base, by in rows]


def _record_of(id_: str, base: object) -> str:
    return base if isinstance(base, str) and id_.startswith(f"{base}@") else id_


def _texts(by: str) -> tuple[str, ...]:
    return tuple(name for name in json.loads(by) if isinstance(name, str))
