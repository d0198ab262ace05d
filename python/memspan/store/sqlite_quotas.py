"""Quotas in a SQLite store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Final

from .quotas import StoredQuotas
from .sqlite_rows import SqliteRows, of_user

__all__ = ["EVERYBODY", "SqliteQuotaReader", "SqliteQuotaWriter"]

EVERYBODY: Final = 0
"""The key of the row for users without quotas of their own."""

_NONE: Final = "null"
"""Settings that were taken back; the row stays, so that other handles hear of it."""


class SqliteQuotaReader(SqliteRows):
    """`QuotaReader` on an open transaction."""

    def get(self, user: str | None) -> str | None:
        row = self._connection.execute(
            "SELECT settings FROM quotas WHERE user_pk = "
            "CASE WHEN :user IS NULL THEN 0 ELSE (SELECT pk FROM users WHERE name = :user) END",
            {"user": user},
        ).fetchone()
        return None if row is None or row[0] == _NONE else str(row[0])

    def changed(self, after: int) -> list[StoredQuotas]:
        rows = self._all(
            "SELECT u.name, q.settings FROM quotas q LEFT JOIN users u ON u.pk = q.user_pk "
            # `+`: in the order of keys, all rows would be gone through.
            "WHERE q.sequence > ? AND (q.user_pk = 0 OR u.name IS NOT NULL) ORDER BY +q.user_pk",
            (after,),
        )
        return [StoredQuotas(user, None if settings == _NONE else settings) for user, settings in rows]

    def pinned(self, user: str | None = None) -> list[tuple[str, str, int]]:
        return self._all(
            "SELECT u.name, r.kind, count(*) FROM record_states x JOIN records r ON r.pk = x.record_pk "  # noqa: S608
            f"JOIN users u ON u.pk = x.user_pk WHERE (x.pinned OR x.held) AND {of_user(user)} "
            "GROUP BY u.name, r.kind ORDER BY u.name, r.kind",
            {"user": user},
        )


class SqliteQuotaWriter(SqliteQuotaReader):
    """`QuotaWriter` on an open exclusive transaction.

    Args:
        advance: gives the number of this transaction in the change sequence, and makes it count.
        ensure_user: the key of a user, who is made when unknown.
    """

    def __init__(
        self, connection: sqlite3.Connection, advance: Callable[[], int], ensure_user: Callable[[str], int]
    ) -> None:
        super().__init__(connection)
        self._advance = advance
        self._ensure_user = ensure_user

    def set(self, user: str | None, settings: str | None) -> None:
        pk = EVERYBODY if user is None else self._ensure_user(user)
        self._connection.execute(
            "INSERT OR REPLACE INTO quotas (user_pk, sequence, settings) VALUES (?, ?, ?)",
            (pk, self._advance(), _NONE if settings is None else settings),
        )
