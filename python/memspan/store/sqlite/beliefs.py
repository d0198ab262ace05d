"""What was believed before, in SQLite."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Final

from memspan.store.beliefs import Ending
from memspan.times import Micros

from .json_texts import text_at
from .rows import SqliteRows
from .statements import chunks, marks

__all__ = ["SqliteBeliefs"]

_RETIRED: Final = (
    "FROM record_states x CROSS JOIN records r ON r.pk = x.record_pk "
    "WHERE x.user_pk = (SELECT pk FROM users WHERE name = ?) AND x.retired_at IS NOT NULL"
)

_ENDINGS: Final = (
    f"SELECT r.id, {text_at('r.metadata', '$.version_of')}, json_extract(r.metadata, '$.ended.by') "  # noqa: S608
    "FROM records r CROSS JOIN record_states x ON x.record_pk = r.pk WHERE r.user_pk = ? AND r.id IN ({0}) "
    "AND x.retired_at IS NOT NULL AND json_type(r.metadata, '$.ended.by') = 'array'"
)
_COLD_ENDINGS: Final = (
    f"SELECT c.id, {text_at('c.record', '$.metadata.version_of')}, "  # noqa: S608
    "json_extract(c.record, '$.metadata.ended.by') FROM cold c WHERE c.user_pk = ? AND c.id IN ({0}) "
    "AND c.reason = 'evicted' AND json_extract(c.record, '$.retired_at') IS NOT NULL "
    "AND json_type(c.record, '$.metadata.ended.by') = 'array'"
)
_HOLDERS: Final = "SELECT record FROM endings WHERE user_pk = ? AND name IN ({0})"
"""What says, or said, that some of these ended it."""


class SqliteBeliefs(SqliteRows):
    """`BeliefReader` on an open transaction."""

    def endings(self, user: str, ids: Collection[str]) -> list[Ending]:
        """See `BeliefReader.endings`."""
        pk = self._user_pk(user)
        rows = [
            row
            for piece in chunks(sorted(ids))
            for places, values in [marks(piece)]
            for statement in (_ENDINGS, _COLD_ENDINGS)
            for row in self._all(statement.format(places), (pk, *values))
        ]
        return [Ending(id_, _record_of(id_, base), _texts(by)) for id_, base, by in rows]

    def ended(self, user: str, by: Collection[str]) -> list[Ending]:
        """See `BeliefReader.ended`."""
        pk, names = self._user_pk(user), set(by)
        holders: set[str] = set()
        for piece in chunks(sorted(names)):
            places, values = marks(piece)
            holders.update(id_ for (id_,) in self._all(_HOLDERS.format(places), (pk, *values)))
        return [end for end in self.endings(user, holders) if not names.isdisjoint(end.by)]

    def any_ended(self, user: str, when: Micros) -> bool:
        """See `BeliefReader.any_ended`."""
        return bool(self._all(f"SELECT 1 {_RETIRED} AND x.retired_at <= ? LIMIT 1", (user, when)))

    def learnt_later(self, user: str, when: Micros, most: int) -> list[str]:
        """See `BeliefReader.learnt_later`."""
        rows = self._all(
            f"SELECT r.id {_RETIRED} AND r.recorded_at > ? ORDER BY r.recorded_at DESC LIMIT ?",
            (user, when, most),
        )
        return [id_ for (id_,) in rows]


def _record_of(id_: str, base: object) -> str:
    return base if isinstance(base, str) and id_.startswith(f"{base}@") else id_


def _texts(by: str) -> tuple[str, ...]:
    return tuple(name for name in json.loads(by) if isinstance(name, str))
