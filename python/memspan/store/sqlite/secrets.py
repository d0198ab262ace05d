"""Sealed secrets in a SQLite store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memspan.store.secrets import SealedSecret

from .rows import SqliteRows

__all__ = ["SqliteSecretReader", "SqliteSecretWriter"]

_SECRETS: Final = (
    "SELECT s.record, s.key_id, s.nonce, s.ciphertext FROM secrets s JOIN users u ON u.pk = s.user_pk "
    "WHERE u.name = ?"
)

_PAGE: Final = 8
"""Secrets that are read at a time."""

# From one key to the next: `DISTINCT` would go through the secrets of each.
_KEY_IDS: Final = (
    "WITH RECURSIVE found(key_id) AS (SELECT min(key_id) FROM secrets WHERE user_pk = :user UNION ALL "
    "SELECT (SELECT min(key_id) FROM secrets WHERE user_pk = :user AND key_id > found.key_id) "
    "FROM found WHERE found.key_id IS NOT NULL) SELECT key_id FROM found WHERE key_id IS NOT NULL"
)


class SqliteSecretReader(SqliteRows):
    """`SecretReader` on an open transaction."""

    def all(self, user: str) -> Iterator[SealedSecret]:
        last = ""
        statement = _SECRETS + " AND s.record > ? ORDER BY s.record LIMIT ?"
        while rows := self._all(statement, (user, last, _PAGE)):
            last = rows[-1][0]
            for row in rows:
                yield SealedSecret(*row)

    def keys(self, user: str) -> dict[str, str]:
        statement = "SELECT record, key_id FROM secrets INDEXED BY secrets_by_key WHERE user_pk = ?"
        return dict(sorted(self._all(statement, (self._user_pk(user),))))

    def one(self, user: str, record: str) -> SealedSecret | None:
        rows = self._all(_SECRETS + " AND s.record = ?", (user, record))
        return SealedSecret(*rows[0]) if rows else None

    def key_ids(self, user: str) -> list[str]:
        rows = self._all(_KEY_IDS, {"user": self._user_pk(user)})
        return [key_id for (key_id,) in rows]


class SqliteSecretWriter(SqliteSecretReader):
    """`SecretWriter` on an open exclusive transaction."""

    def put(self, user: str, secrets: Sequence[SealedSecret]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO secrets SELECT pk, ?, ?, ?, ? FROM users WHERE name = ?",
            [(*secret, user) for secret in secrets],
        )
