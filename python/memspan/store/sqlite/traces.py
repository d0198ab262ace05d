"""Find and erase what a SQLite store holds of records besides their rows."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

from memspan.store.traces import Chosen, ended_by, without_names
from memspan.times import MAX_MICROS, MIN_MICROS, Interval, to_micros

from .json_texts import each_text, text_at
from .malformed import reads
from .rows import SqliteRows
from .statements import chunks, marks

__all__ = ["PUT_ENDING", "TRACES", "SqliteTraceReader", "SqliteTraceWriter"]

TRACES: Final = (
    ("cold", "id"),
    ("uses", "record"),
    ("run_changes", "record"),
    ("secrets", "record"),
    ("resources", "record"),
    ("endings", "record"),
)
"""Every table with rows of records by (user_pk, id), and the column of the id; but for `records` and those of jobs."""

_RECORDS_BASE: Final = text_at("metadata", "$.version_of")
_COLD_BASE: Final = text_at("record", "$.metadata.version_of")
"""Of which record a record, and a copy in the cold tier, is a version."""

_VERSIONS: Final = (
    "SELECT id FROM records WHERE user_pk = :user AND id > :id || '@' AND id < :id || 'A' "  # noqa: S608
    f"AND {_RECORDS_BASE} = :id UNION "
    "SELECT id FROM cold WHERE user_pk = :user AND id > :id || '@' AND id < :id || 'A' "
    f"AND {_COLD_BASE} = :id"
)
"""Ids of versions are those of their records, `@` and a number; `A` comes next after `@`."""

_ALL_VERSIONS: Final = (
    f"SELECT id, {_RECORDS_BASE} FROM records "  # noqa: S608
    "WHERE user_pk = :user AND instr(id, '@') AND instr(metadata, '\"version_of\"') UNION "
    f"SELECT id, {_COLD_BASE} FROM cold "
    "WHERE user_pk = :user AND instr(id, '@') AND instr(record, '\"version_of\"')"
)
_MANY: Final = 256
"""Ids for which one look at all records takes less than one for each."""

_DERIVED: Final = (
    "SELECT r.id FROM derivations d JOIN records r ON r.pk = d.derived_pk "
    "WHERE d.user_pk = ? AND d.source IN ({0}) UNION "
    "SELECT c.id FROM cold_sources d JOIN cold c ON c.pk = d.cold_pk WHERE d.user_pk = ? AND d.source IN ({0})"
)
_HELD_COLD: Final = (
    "SELECT c.id FROM cold c WHERE c.user_pk = ? AND c.reason = 'evicted' AND instr(c.record, '\"held\"') "
    "AND json_extract(c.record, '$.held')"
)
_HELD: Final = (
    "SELECT r.id FROM record_states x CROSS JOIN records r ON r.pk = x.record_pk "  # noqa: S608
    f"WHERE x.user_pk = ? AND x.held UNION {_HELD_COLD}"
)
_HELD_OF: Final = (
    "SELECT r.id FROM records r CROSS JOIN record_states x ON x.record_pk = r.pk "  # noqa: S608
    f"WHERE r.user_pk = ? AND r.id IN ({{0}}) AND x.held UNION {_HELD_COLD} AND c.id IN ({{0}})"
)
_CHOSEN: Final = (
    "SELECT id, at FROM records WHERE user_pk = :user AND (:session IS NULL OR session = :session) "
    "AND (:source IS NULL OR provenance = :source OR pk IN "
    "(SELECT derived_pk FROM derivations WHERE user_pk = :user AND source = :source)) "
    "AND (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))"
)
"""Whatever their times: SQL would go through all intervals for each record."""

_CHOSEN_COLD: Final = (
    "SELECT id, json_extract(record, '$.at') FROM cold WHERE user_pk = :user "  # noqa: S608
    f"AND (:session IS NULL OR ({text_at('record', '$.session')}) = :session) "
    f"AND (:source IS NULL OR ({text_at('record', '$.provenance')}) = :source OR pk IN "
    "(SELECT cold_pk FROM cold_sources WHERE user_pk = :user AND source = :source)) "
    "AND (:kinds IS NULL OR json_extract(record, '$.kind') IN (SELECT value FROM json_each(:kinds)))"
)
"""As `_CHOSEN`, with times as texts."""


_TIMES: Final = (
    "SELECT r.id, r.recorded_at, x.retired_at FROM records r LEFT JOIN record_states x ON x.record_pk = r.pk "
    "WHERE r.user_pk = ? AND r.id IN ({0}) UNION ALL "
    "SELECT id, json_extract(record, '$.recorded_at'), json_extract(record, '$.retired_at') FROM cold "
    "WHERE user_pk = ? AND id IN ({0})"
)
"""Of which time to which records were believed, as numbers or as texts."""
_UNDOABLE: Final = (
    "SELECT rowid, record, before FROM run_changes "
    "WHERE user_pk = ? AND record IN ({0}) AND before IS NOT NULL"
)
_UNDOABLE_OF: Final = (
    "SELECT run_changes.rowid, "  # noqa: S608
    f"{each_text('before')}, before FROM run_changes, json_each(before, '$.sources') j "
    f"WHERE user_pk = ? AND instr(before, '\"sources\"') AND {each_text('before')} IN ({{0}})"
)
"""What runs could undo of records, and of what was made of them, with the record or the source."""
PUT_ENDING: Final = "INSERT OR IGNORE INTO endings (user_pk, name, record) VALUES (?, ?, ?)"
_ENDED: Final = "SELECT record FROM endings WHERE user_pk = ? AND name IN ({0})"
"""What says, or said, that some of these ended it."""
_ENDERS: Final = "SELECT name FROM endings WHERE user_pk = ? AND record IN ({0})"
_FORMER_TARGETS: Final = (
    "DELETE FROM resources WHERE user_pk = ? AND record IN ({0}) AND NOT EXISTS (SELECT 1 FROM records r "
    "WHERE r.user_pk = resources.user_pk AND r.id = resources.record AND r.kind = 'resource') "
    "AND NOT EXISTS (SELECT 1 FROM cold c WHERE c.user_pk = resources.user_pk AND c.id = resources.record "
    "AND c.reason = 'evicted' AND json_extract(c.record, '$.kind') = 'resource')"
)
"""What records pointed to that are no resources any more."""


class SqliteTraceReader(SqliteRows):
    """`TraceReader` on an open transaction."""

    def _of(
        self, statement: str, user_pk: int | None, ids: Collection[str], repeat: int = 1
    ) -> Iterator[Any]:
        """Rows of a statement with `{0}` for a list of ids, which stands in it so many times after the user."""
        for piece in chunks(sorted(ids)):
            places, values = marks(piece)
            yield from self._all(statement.format(places), (user_pk, *values) * repeat)

    def chosen(self, user: str, wanted: Chosen) -> set[str]:
        pk = self._user_pk(user)
        if wanted.ids is not None:
            return self.present(user, wanted.ids)
        parameters = {
            "user": pk,
            "session": wanted.session,
            "source": wanted.source,
            "kinds": None if wanted.kinds is None else json.dumps(list(wanted.kinds)),
        }
        rows, cold = self._all(_CHOSEN, parameters), self._all(_CHOSEN_COLD, parameters)
        if wanted.between is None:
            return {id_ for id_, _ in (*rows, *cold)}
        covers = _covering(wanted.between)
        return {id_ for id_, at in rows if covers(at)} | {id_ for id_, at in cold if covers(to_micros(at))}

    def present(self, user: str, ids: Collection[str]) -> set[str]:
        pk = self._user_pk(user)
        tables = ("records", "cold")
        statements = [f"SELECT id FROM {table} WHERE user_pk = ? AND id IN ({{0}})" for table in tables]  # noqa: S608
        return {id_ for statement in statements for (id_,) in self._of(statement, pk, ids)}

    def count(self, user: str) -> int:
        statement = (
            "SELECT count(*) FROM (SELECT id FROM records WHERE user_pk = :user UNION "
            "SELECT id FROM cold WHERE user_pk = :user)"
        )
        return int(self._one(statement, {"user": self._user_pk(user)}))

    def versions(self, user: str, ids: Collection[str]) -> set[str]:
        pk = self._user_pk(user)
        if len(ids) > _MANY:
            wanted = set(ids)
            rows = self._all(_ALL_VERSIONS, {"user": pk})
            return {id_ for id_, base in rows if base in wanted and id_.startswith(base + "@")}
        found = (row for id_ in ids for row in self._all(_VERSIONS, {"user": pk, "id": id_}))
        return {id_ for (id_,) in found}

    def bases(self, user: str, ids: Collection[str]) -> dict[str, str]:
        pk = self._user_pk(user)
        likely = [id_ for id_ in ids if "@" in id_]
        rows = [
            *self._of(
                f"SELECT id, {_RECORDS_BASE} FROM records WHERE user_pk = ? AND id IN ({{0}})",  # noqa: S608
                pk,
                likely,
            ),
            *self._of(
                f"SELECT id, {_COLD_BASE} FROM cold WHERE user_pk = ? AND id IN ({{0}})",  # noqa: S608
                pk,
                likely,
            ),
        ]
        return {id_: base for id_, base in rows if isinstance(base, str) and id_.startswith(base + "@")}

    def derived(self, user: str, ids: Collection[str], but: Collection[str] = ()) -> set[str]:
        pk = self._user_pk(user)
        reached, frontier = {*ids, *but}, set(ids)
        while frontier:
            frontier = {id_ for (id_,) in self._of(_DERIVED, pk, frontier, repeat=2)} - reached
            reached |= frontier
        return reached.difference(ids, but)

    @reads("metadata of a record")
    def mentioning(self, user: str, ids: Collection[str]) -> set[str]:
        pk, names = self._user_pk(user), set(ids)
        holders = {id_ for (id_,) in self._of(_ENDED, pk, names)}
        rows = self._of("SELECT id, metadata FROM records WHERE user_pk = ? AND id IN ({0})", pk, holders)
        return {id_ for id_, metadata in rows if not names.isdisjoint(ended_by(json.loads(metadata)))}

    def ended_for(self, user: str, ids: Collection[str]) -> set[str]:
        return {id_ for (id_,) in self._of(_ENDED, self._user_pk(user), ids)}

    def enders(self, user: str, ids: Collection[str]) -> set[str]:
        return {name for (name,) in self._of(_ENDERS, self._user_pk(user), ids)}

    def held(self, user: str, ids: Collection[str] | None = None) -> int:
        pk = self._user_pk(user)
        if ids is None:
            return int(self._one(f"SELECT count(*) FROM ({_HELD})", (pk, pk)))  # noqa: S608
        return len({id_ for (id_,) in self._of(_HELD_OF, pk, ids, repeat=2)})

    def held_ids(self, user: str) -> set[str]:
        pk = self._user_pk(user)
        return {id_ for (id_,) in self._all(_HELD, (pk, pk))}

    def dangling(self) -> list[tuple[str, str, str]]:
        return [
            (table, user, id_)
            for table in ("secrets", "resources")
            for user, id_ in self._all(
                f"SELECT u.name, s.record FROM {table} s JOIN users u ON u.pk = s.user_pk "  # noqa: S608
                "WHERE NOT EXISTS (SELECT 1 FROM records r WHERE r.user_pk = s.user_pk AND r.id = s.record) "
                "AND NOT EXISTS (SELECT 1 FROM cold c WHERE c.user_pk = s.user_pk AND c.id = s.record)"
            )
        ]

    def outlives(self, user: str) -> bool:
        pk = self._user_pk(user)
        # Quotas that were taken back are the JSON null.
        rows = ("cold WHERE", "lifetimes WHERE", "quotas WHERE settings <> 'null' AND")
        return any(self._all(f"SELECT 1 FROM {each} user_pk = ? LIMIT 1", (pk,)) for each in rows)  # noqa: S608


class SqliteTraceWriter(SqliteTraceReader):
    """`TraceWriter` on an open exclusive transaction."""

    def erase(self, user: str, ids: Collection[str], replacing: Collection[str] = ()) -> None:
        pk = self._user_pk(user)
        if pk is None:
            return
        self._forget_wordings(user, pk, set(ids))
        for piece in chunks(sorted(ids)):
            places, values = marks(piece)
            for table, column in TRACES:
                self._connection.execute(
                    f"DELETE FROM {table} WHERE user_pk = ? AND {column} IN ({places})",  # noqa: S608
                    (pk, *values),
                )
            # What a run could undo names its sources: a record that came of one that is forgotten must not come back.
            self._connection.execute(
                "DELETE FROM run_changes WHERE user_pk = ? AND instr(before, '\"sources\"') AND EXISTS "  # noqa: S608
                f"(SELECT 1 FROM json_each(before, '$.sources') j WHERE {each_text('before')} IN ({places}))",
                (pk, *values),
            )
        ended = {id_ for (id_,) in self._of(_ENDED, pk, ids)}
        self._unname("cold", "record", pk, set(ids), ended, replacing)
        self._unname("run_changes", "before", pk, set(ids), ended, replacing)
        for piece in chunks(sorted(ids)):
            places, values = marks(piece)
            named = f"DELETE FROM endings WHERE user_pk = ? AND name IN ({places})"  # noqa: S608
            self._connection.execute(named, (pk, *values))

    def _forget_wordings(self, user: str, user_pk: int, ids: set[str]) -> None:
        """Take out what runs could undo of records that stay, of the time when they read as those of their versions
        that go, and of what was made of them by then; and where they pointed to, if they did so only then. Called
        while the versions are there."""
        bases = {id_: base for id_, base in self.bases(user, ids).items() if base not in ids}
        since: set[tuple[str, int]] = set()
        until: dict[str, int] = {}
        for id_, start, end in self._of(_TIMES, user_pk, bases, repeat=2):
            base = bases[id_]
            since.add((base, to_micros(start)))
            until[base] = max(until.get(base, MIN_MICROS), MAX_MICROS if end is None else to_micros(end))
        of_bases = self._of(_UNDOABLE, user_pk, until)
        going = {row for row, base, before in of_bases if (base, _learnt(before)) in since}
        of_others = self._of(_UNDOABLE_OF, user_pk, until)
        going |= {row for row, source, before in of_others if _learnt(before) <= until[source]}
        self._connection.executemany("DELETE FROM run_changes WHERE rowid = ?", ((row,) for row in going))
        for piece in chunks(sorted(until)):
            places, values = marks(piece)
            self._connection.execute(_FORMER_TARGETS.format(places), (user_pk, *values))

    def _unname(
        self,
        table: str,
        column: str,
        user_pk: int,
        ids: set[str],
        ended: Collection[str],
        replacing: Collection[str],
    ) -> None:
        """Take ids out of what is said to have ended a record that lies in a table as JSON, or to be replaced by it."""
        key = "pk" if table == "cold" else "rowid"
        found = f"SELECT {key}, {column} FROM {table} WHERE user_pk = ? AND {dict(TRACES)[table]} IN ({{0}})"  # noqa: S608
        rows = dict(self._of(f"{found} AND instr({column}, '\"ended\"')", user_pk, ended))
        rows.update(self._of(f"{found} AND instr({column}, '\"replaces\"')", user_pk, replacing))
        for row, text in rows.items():
            record = json.loads(text)
            metadata = without_names(record.get("metadata", {}), ids)
            if metadata is not None:
                record["metadata"] = metadata
                self._connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {key} = ?",  # noqa: S608
                    (json.dumps(record, ensure_ascii=False, allow_nan=False), row),
                )

    def erase_user(self, user: str) -> None:
        pk = self._user_pk(user)
        for table in ("quotas", "lifetimes"):
            self._connection.execute(f"DELETE FROM {table} WHERE user_pk = ?", (pk,))  # noqa: S608


def _covering(intervals: Sequence[Interval]) -> Callable[[int], bool]:
    """Whether one of them has a time; O(log intervals) each."""
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(map(_ends, intervals)):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)

    def covers(at: int) -> bool:
        place = bisect_right(starts, at) - 1
        return place >= 0 and at < ends[place]

    return covers


def _ends(interval: Interval) -> tuple[int, int]:
    start, end = interval
    return MIN_MICROS if start is None else start, MAX_MICROS + 1 if end is None else end


def _learnt(before: str) -> int:
    """When what a run could undo was learnt."""
    learnt = json.loads(before).get("recorded_at")
    return MIN_MICROS if learnt is None else to_micros(learnt)
