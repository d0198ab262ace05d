"""What was unlearnt, in a SQLite store: one setting for each user."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from memspan.times import Micros

from .sqlite_audit import fingerprint

__all__ = ["SqliteUnlearntReader", "SqliteUnlearntWriter", "unlearnt_key"]


def unlearnt_key(user_pk: int) -> str:
    """The setting of a user. Keys of users are never used again."""
    return f"unlearnt/{user_pk}"


class SqliteUnlearntReader:
    """`UnlearntReader` on an open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def through(self, user: str, actions: Sequence[Sequence[str]]) -> list[Micros | None]:
        pk = self._user_pk(user)
        known = {} if pk is None else self._known(pk)
        return [known.get(self._fingerprint(user, each)) if known else None for each in actions]

    def _user_pk(self, user: str) -> int | None:
        row = self._connection.execute("SELECT pk FROM users WHERE name = ?", (user,)).fetchone()
        return None if row is None else int(row[0])

    def _known(self, user_pk: int) -> dict[str, Micros]:
        statement = "SELECT value FROM meta WHERE key = ?"
        row = self._connection.execute(statement, (unlearnt_key(user_pk),)).fetchone()
        return {} if row is None else json.loads(row[0])

    def _fingerprint(self, user: str, actions: Sequence[str]) -> str:
        (store_id,) = self._connection.execute("SELECT value FROM meta WHERE key = 'store_id'").fetchone()
        return fingerprint(str(store_id), user, json.dumps(["procedure", *actions]))


class SqliteUnlearntWriter(SqliteUnlearntReader):
    """`UnlearntWriter` on an open exclusive transaction."""

    def add(self, user: str, actions: Sequence[str], through: Micros) -> None:
        pk = self._user_pk(user)
        if pk is None:
            return
        known = self._known(pk)
        name = self._fingerprint(user, actions)
        known[name] = max(through, known.get(name, through))
        # Not `set_meta`: a writer keeps what that says in memory.
        self._connection.execute(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)", (unlearnt_key(pk), json.dumps(known))
        )
