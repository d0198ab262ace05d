"""Uses in a SQLite store."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from memspan.store.uses import Use
from memspan.times import Micros

from .rows import SqliteRows
from .statements import chunks, marks

__all__ = ["SqliteUseReader", "SqliteUseWriter"]

# What was forgotten while its uses were on their way must not come back by its id.
_ADD: Final = (
    "INSERT INTO uses (user_pk, record, count, last, written) SELECT :user, :record, :searches, :last, :written "
    "WHERE EXISTS (SELECT 1 FROM records WHERE user_pk = :user AND id = :record) "
    "OR EXISTS (SELECT 1 FROM cold WHERE user_pk = :user AND id = :record) "
    "ON CONFLICT (user_pk, record) DO UPDATE "
    "SET count = count + excluded.count, last = max(last, excluded.last), written = excluded.written"
)


_ABOVE_ALL: Final = 2**63 - 1
"""No user has a greater key."""


class SqliteUseReader(SqliteRows):
    """`UseReader` on an open transaction."""

    def __init__(self, connection: sqlite3.Connection, first_changed: Callable[[int], int | None]) -> None:
        super().__init__(connection)
        self._first_changed = first_changed

    def written_after(self, after: Micros, batch: int) -> Iterator[dict[str, list[Use]]]:
        statement = (
            # `CROSS`: in the order of users, all uses would be gone through.
            "SELECT u.name, g.count, g.last, g.written, g.user_pk, g.record "
            "FROM uses g CROSS JOIN users u ON u.pk = g.user_pk "
            "WHERE (g.written, g.user_pk, g.record) > (?, ?, ?) "
            "ORDER BY g.written, g.user_pk, g.record LIMIT ?"
        )
        place: tuple[Any, ...] = (after, _ABOVE_ALL, "")
        while rows := self._all(statement, (*place, batch)):
            place = rows[-1][3:]
            yield _by_user((name, Use(record, *use)) for name, *use, _, _, record in rows)

    def changed(self, after: int, batch: int) -> Iterator[dict[str, list[Use]]]:
        first = self._first_changed(after)
        if first is None:
            return
        statement = (
            "SELECT r.pk, u.name, g.record, g.count, g.last FROM records r "
            "CROSS JOIN uses g ON g.user_pk = r.user_pk AND g.record = r.id "
            "CROSS JOIN users u ON u.pk = r.user_pk WHERE r.pk > ? ORDER BY r.pk LIMIT ?"
        )
        last = first - 1
        while rows := self._all(statement, (last, batch)):
            last = rows[-1][0]
            yield _by_user((name, Use(*use)) for _, name, *use in rows)

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

    def add(self, user: str, uses: Sequence[Use], written: Micros) -> None:
        pk = self._user_pk(user)
        if pk is not None:
            self._connection.executemany(
                _ADD, ({"user": pk, "written": written, **use._asdict()} for use in uses)
            )

    def forget(self, user: str, ids: Sequence[str]) -> int:
        pk = self._user_pk(user)
        erased = 0
        for piece in chunks(ids):
            places, values = marks(piece)
            statement = f"DELETE FROM uses WHERE user_pk = ? AND record IN ({places})"  # noqa: S608
            erased += self._connection.execute(statement, (pk, *values)).rowcount
        return erased


def _by_user(uses: Iterable[tuple[str, Use]]) -> dict[str, list[Use]]:
    found: dict[str, list[Use]] = {}
    for user, use in uses:
        found.setdefault(user, []).append(use)
    return found
