"""Quotas in a SQLite store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Final

from memspan.store.quotas import StoredQuotas, Unsettled

from .rows import SqliteRows, of_user

__all__ = ["EVERYBODY", "SqliteQuotaReader", "SqliteQuotaWriter", "unsettled_key"]

EVERYBODY: Final = 0
"""The key of the row for users without quotas of their own."""

_NONE: Final = "null"
"""Settings that were taken back; the row stays, so that other handles hear of it."""

_UNSETTLED: Final = "quotas_unsettled/"
_SINCE: Final = "CAST(value AS INTEGER) = ?"
"""The number before the space, of a setting with who sees to it behind that."""


def unsettled_key(user_pk: int) -> str:
    """The setting that says that evictions have to follow. Keys of users are never used again."""
    return f"{_UNSETTLED}{user_pk}"


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

    def unsettled(self) -> dict[str | None, Unsettled]:
        rows = self._all(f"SELECT key, value FROM meta WHERE key GLOB '{_UNSETTLED}*' ORDER BY key")  # noqa: S608
        found: dict[str | None, Unsettled] = {}
        for key, value in rows:
            pk = int(key.removeprefix(_UNSETTLED))
            name = self._one("SELECT name FROM users WHERE pk = ?", (pk,))
            if pk == EVERYBODY or name is not None:
                since, _, by = str(value).partition(" ")
                found[name] = Unsettled(int(since), by)
        return found


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

    def unsettle(self, user: str | None, by: str) -> int:
        since = self._advance()
        self._connection.execute(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)", (self._key(user), f"{since} {by}")
        )
        return since

    def take_over(self, user: str | None, since: int, by: str) -> None:
        self._connection.execute(
            f"UPDATE meta SET value = ? WHERE key = ? AND {_SINCE}",  # noqa: S608
            (f"{since} {by}", self._key(user), since),
        )

    def settle(self, user: str | None, since: int) -> None:
        self._connection.execute(
            f"DELETE FROM meta WHERE key = ? AND {_SINCE}",  # noqa: S608
            (self._key(user), since),
        )

    def _key(self, user: str | None) -> str:
        return unsettled_key(EVERYBODY if user is None else self._user_pk(user) or -1)
