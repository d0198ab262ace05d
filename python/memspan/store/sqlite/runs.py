"""The journal of consolidations in a SQLite store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from memspan.reports.run_info import Run
from memspan.store.runs import RunChange
from memspan.times import Micros, from_micros

from .malformed import reads
from .rows import SqliteRows, of_user
from .statements import chunks, marks

__all__ = ["SqliteRunReader", "SqliteRunWriter"]

_RUN: Final = (
    "SELECT x.id, u.name, x.action, x.state, x.began, x.ended, "
    "(SELECT count(DISTINCT c.record) FROM run_changes c WHERE c.run_pk = x.pk), x.report "
    "FROM runs x JOIN users u ON u.pk = x.user_pk "
)
_NOTE: Final = (
    "INSERT INTO run_changes (run_pk, position, user_pk, record, before, embedding, after) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_LOOKED_AT: Final = 64
"""Runs before one that ends among which empty ones are dropped. Each end drops some, so that few are left."""
_PAGE: Final = 8
_AFTER_ALL: Final = (1 << 63) - 1

_DROP_EMPTY: Final = (
    "DELETE FROM runs WHERE pk IN (SELECT pk FROM runs WHERE user_pk = :user AND action = :action AND pk < :run "  # noqa: S608
    f"ORDER BY pk DESC LIMIT {_LOOKED_AT}) AND state <> 'running' "
    "AND NOT EXISTS (SELECT 1 FROM run_changes c WHERE c.run_pk = runs.pk) "
    "AND (json_extract(report, '$.merging') IS NULL OR EXISTS (SELECT 1 FROM runs y "
    "WHERE y.user_pk = runs.user_pk AND y.action = runs.action AND y.pk > runs.pk "
    "AND json_extract(y.report, '$.merging') = json_extract(runs.report, '$.merging')))"
)


class SqliteRunReader(SqliteRows):
    """`RunReader` on an open transaction."""

    def runs(self, user: str | None = None, id: str | None = None) -> list[Run]:
        named = "" if id is None else "AND x.id = :id "
        rows = self._all(
            _RUN + f"WHERE {of_user(user)} {named}ORDER BY x.pk DESC",
            {"user": user, "id": id},
        )
        return [_run(row) for row in rows]

    def last(self, user: str, action: str) -> Run | None:
        rows = self._all(
            _RUN + "WHERE u.name = ? AND x.action = ? AND x.ended IS NOT NULL ORDER BY x.pk DESC LIMIT 1",
            (user, action),
        )
        return _run(rows[0]) if rows else None

    def reports(self, user: str, action: str) -> Iterator[Mapping[str, Any]]:
        statement = (
            "SELECT pk, report FROM runs WHERE user_pk = (SELECT pk FROM users WHERE name = ?) AND action = ? "
            "AND pk < ? ORDER BY pk DESC LIMIT ?"
        )
        last = _AFTER_ALL
        while rows := self._all(statement, (user, action, last, _PAGE)):
            last = rows[-1][0]
            yield from (_report(report) for _, report in rows)

    def changes(self, id: str, records: Sequence[str] | None = None) -> list[RunChange]:
        statement = "SELECT c.record, c.before, c.embedding, c.after FROM run_changes c JOIN runs x ON x.pk = c.run_pk "
        if records is None:
            rows = self._all(statement + "WHERE x.id = ? ORDER BY c.position", (id,))
            return [RunChange._make(row) for row in rows]
        found: list[Sequence[Any]] = []
        for piece in chunks(records):
            places, values = marks(piece)
            found += self._all(
                f"{statement} WHERE x.id = ? AND c.user_pk = x.user_pk AND c.record IN ({places}) ORDER BY c.position",
                (id, *values),
            )
        return [RunChange._make(row) for row in found]

    def touched(self, id: str) -> list[str]:
        rows = self._all(
            "SELECT c.record FROM run_changes c JOIN runs x ON x.pk = c.run_pk WHERE x.id = ? "
            "GROUP BY c.record ORDER BY max(c.position)",
            (id,),
        )
        return [record for (record,) in rows]

    def changes_of(self, user: str, ids: Sequence[str]) -> list[tuple[str, RunChange]]:
        rows: list[Sequence[Any]] = []
        for piece in chunks(ids):
            places, values = marks(piece)
            rows += self._all(
                "SELECT x.id, c.record, c.before, c.embedding, c.after FROM run_changes c "  # noqa: S608
                "JOIN runs x ON x.pk = c.run_pk WHERE c.user_pk = (SELECT pk FROM users WHERE name = ?) "
                f"AND c.record IN ({places})",
                (user, *values),
            )
        return [(run, RunChange._make(change)) for run, *change in rows]


class SqliteRunWriter(SqliteRunReader):
    """`RunWriter` on an open exclusive transaction."""

    def begin(self, user: str, id: str, action: str, now: Micros) -> None:
        statement = (
            "INSERT OR IGNORE INTO runs (user_pk, id, action, state, began, report) "
            "SELECT pk, ?, ?, 'running', ?, '{}' FROM users WHERE name = ?"
        )
        self._connection.execute(statement, (id, action, now, user))

    def note(self, id: str, changes: Sequence[RunChange]) -> bool:
        found = self._all("SELECT pk, user_pk FROM runs WHERE id = ? AND state = 'running'", (id,))
        if not found:
            return False
        ((run, user),) = found
        ((first,),) = self._all(
            "SELECT coalesce(max(position) + 1, 0) FROM run_changes WHERE run_pk = ?", (run,)
        )
        rows = [(run, position, user, *change) for position, change in enumerate(changes, first)]
        self._connection.executemany(_NOTE, rows)
        return True

    def end(self, id: str, report: str, now: Micros) -> None:
        statement = "UPDATE runs SET state = 'done', ended = ?, report = ? WHERE id = ? AND state = 'running'"
        self._connection.execute(statement, (now, report, id))
        for run, user, action in self._all("SELECT pk, user_pk, action FROM runs WHERE id = ?", (id,)):
            self._connection.execute(_DROP_EMPTY, {"run": run, "user": user, "action": action})

    def undone(self, id: str, now: Micros, removed: Sequence[str] = ()) -> None:
        self._connection.execute("UPDATE runs SET state = 'undone', ended = ? WHERE id = ?", (now, id))
        self._connection.execute(
            "UPDATE run_changes SET before = json_remove(before, '$.tags', '$.entities') "
            "WHERE before IS NOT NULL AND run_pk = (SELECT pk FROM runs WHERE id = ?)",
            (id,),
        )
        for piece in chunks(removed):
            places, values = marks(piece)
            self._connection.execute(
                "UPDATE run_changes SET before = NULL WHERE before IS NOT NULL "  # noqa: S608
                f"AND user_pk = (SELECT user_pk FROM runs WHERE id = ?) AND record IN ({places})",
                (id, *values),
            )

    def rewrite(self, user: str, id: str, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        for column, values in (("before", before), ("after", after)):
            self._connection.executemany(
                f"UPDATE run_changes SET {column} = ? "  # noqa: S608
                f"WHERE user_pk = (SELECT pk FROM users WHERE name = ?) AND record = ? AND {column} = ?",
                [(new, user, id, old) for old, new in values.items() if new != old],
            )

    def forget(self, user: str, ids: Sequence[str]) -> None:
        for piece in chunks(ids):
            places, values = marks(piece)
            self._connection.execute(
                "DELETE FROM run_changes WHERE user_pk = (SELECT pk FROM users WHERE name = ?) "  # noqa: S608
                f"AND record IN ({places})",
                (user, *values),
            )


@reads("run")
def _run(row: Sequence[Any]) -> Run:
    id_, user, action, state, began, ended, changes, report = row
    end = None if ended is None else from_micros(ended)
    return Run(id_, user, action, state, from_micros(began), end, changes, json.loads(report))


@reads("run")
def _report(text: str) -> Mapping[str, Any]:
    report: Mapping[str, Any] = json.loads(text)
    return report
