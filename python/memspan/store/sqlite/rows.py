"""What every reader of the store's tables starts from."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from memspan.store.codec import COLUMNS, STATE_COLUMNS

from .statements import Parameters

__all__ = ["FIELDS", "RECORDS", "SqliteRows", "of_user"]

FIELDS: Final = ", ".join((*(f"r.{column}" for column in COLUMNS), *(f"x.{name}" for name in STATE_COLUMNS)))
"""What `decode_record` takes, in a SELECT."""

RECORDS: Final = "records r LEFT JOIN record_states x ON x.record_pk = r.pk"
"""Where `FIELDS` come from."""


def of_user(user: str | None) -> str:
    """The condition that users `u` are the one that `:user` names, or with `None` that they are any.

    `:user IS NULL OR u.name = :user` would keep SQLite from the indexes: one user's rows would be looked for among
    those of all.
    """
    return "TRUE" if user is None else "u.name = :user"


class SqliteRows:
    """Rows on an open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def _all(self, statement: str, parameters: Parameters = ()) -> list[Any]:
        return self._connection.execute(statement, parameters).fetchall()

    def _one(self, statement: str, parameters: Parameters = ()) -> Any:
        """The first value of the first row, or `None`."""
        row = self._connection.execute(statement, parameters).fetchone()
        return None if row is None else row[0]

    def _user_pk(self, user: str) -> int | None:
        pk = self._one("SELECT pk FROM users WHERE name = ?", (user,))
        return None if pk is None else int(pk)
