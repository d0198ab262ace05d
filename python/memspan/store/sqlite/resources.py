"""Targets of resources in a SQLite store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memspan.reports.resource_info import Resource
from memspan.times import from_micros, to_micros

from .rows import SqliteRows, of_user

__all__ = ["SqliteResourceReader", "SqliteResourceWriter"]

_RESOURCES: Final = (
    "SELECT u.name, s.record, s.uri, s.checksum, s.size, s.seen_at, s.state FROM resources s "
    "JOIN users u ON u.pk = s.user_pk "
    "WHERE {of_user} AND (:state IS NULL OR s.state = :state) AND (EXISTS (SELECT 1 "
    "FROM records r WHERE r.user_pk = s.user_pk AND r.id = s.record AND r.kind = 'resource') OR :cold AND EXISTS "
    "(SELECT 1 FROM cold c WHERE c.user_pk = s.user_pk AND c.id = s.record AND c.reason = 'evicted' "
    "AND json_extract(c.record, '$.kind') = 'resource')) "
    "ORDER BY u.name, s.record"
)


class SqliteResourceReader(SqliteRows):
    """`ResourceReader` on an open transaction."""

    def all(self, user: str | None = None, state: str | None = None, *, cold: bool = False) -> list[Resource]:
        rows = self._all(
            _RESOURCES.format(of_user=of_user(user)), {"user": user, "state": state, "cold": cold}
        )
        return [
            Resource._make((*row[:5], None if row[5] is None else from_micros(row[5]), row[6]))
            for row in rows
        ]


class SqliteResourceWriter(SqliteResourceReader):
    """`ResourceWriter` on an open exclusive transaction."""

    def put(self, resources: Sequence[Resource]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO resources SELECT pk, ?, ?, ?, ?, ?, ? FROM users WHERE name = ?",
            [
                (each.id, each.uri, each.checksum, each.size, _moment(each), each.state, each.user)
                for each in resources
            ],
        )

    def settle(self, resources: Sequence[Resource]) -> None:
        self._connection.executemany(
            "UPDATE resources SET state = ?, seen_at = ?, checksum = ?, size = ? WHERE record = ? AND uri = ? "
            "AND (checksum IS NULL OR checksum IS ?) AND user_pk = (SELECT pk FROM users WHERE name = ?)",
            [
                (
                    each.state,
                    _moment(each),
                    each.checksum,
                    each.size,
                    each.id,
                    each.uri,
                    each.checksum,
                    each.user,
                )
                for each in resources
            ],
        )


def _moment(resource: Resource) -> int | None:
    return None if resource.seen_at is None else to_micros(resource.seen_at)
