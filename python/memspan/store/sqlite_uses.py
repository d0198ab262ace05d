"""Uses in a SQLite store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memspan.times import Micros

from .sqlite_rows import SqliteRows
from .statements import chunks, marks
from .uses import Use

__all__ = ["SqliteUseReader", "SqliteUseWriter"]

# What was forgotten while its uses were on their way must not come back by its id.
_ADD: Final = (
    "INSERT INTO uses (user_pk, record, count, last) SELECT :user, :record, :searches, :last "
    "WHERE EXISTS (SELECT 1 FROM records WHERE user_pk = :user AND id = :record) "
    "OR EXISTS (SELECT 1 FROM cold WHERE user_pk = :user AND id = :record) "
    "ON CONFLICT (user_pk, record) DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)"
)


class SqliteUseReader(SqliteRows):
    """`UseReader` on an open transaction."""

    def users(self, after: Micros = -1) -> list[str]:
        rows = self._all(
            "SELECT DISTINCT u.name FROM uses g JOIN users u ON u.pk = g.user_pk WHERE g.last > ? ORDER BY u.name",
            (after,),
        )
        return [name for (name,) in rows]

    def of(self, user: str, ids: Sequence[str] | None = None) -> list[Use]:
        pk = self._user_pk(user)
        statement = "SELECT record, count, last FROM uses WHERE user_pk = ?"
        if ids is None:
            return [Use(*row) for row in self._all(statement + " ORDER BY record", (pk,))]
        found = []
        for piece in chunks(ids):
            places, values = marks(piece)
            rows = self._all(f"{statement} AND record IN ({places})", (pk, *values))
            found += [Use(*row) for row in rows]
        return found


class SqliteUseWriter(SqliteUseReader):
    """`UseWriter` on an open exclusive transaction."""

    def add(self, user: str, uses: Sequence[Use]) -> None:
        pk = self._user_pk(user)
        if pk is not None:
            self._connection.executemany(_ADD, ({"user": pk, **use._asdict()} for use in uses))

    def forget(self, user: str, ids: Sequence[str]) -> int:
        pk = self._user_pk(user)
        erased = 0
        for piece in chunks(ids):
            places, values = marks(piece)
            statement = f"DELETE FROM uses WHERE user_pk = ? AND record IN ({places})"  # noqa: S608
            erased += self._connection.execute(statement, (pk, *values)).rowcount
        return erased
