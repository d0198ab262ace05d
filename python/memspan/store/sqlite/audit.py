"""The audit in a SQLite store: a chain of hashes, one row an entry."""

from __future__ import annotations

import hashlib
import hmac
import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, Final

from memspan.reports.audit_info import AuditEntry
from memspan.store.audit import AuditFilter
from memspan.times import MAX_MICROS, MIN_MICROS, Micros, from_micros

from .malformed import reads
from .rows import SqliteRows
from .writer_state import WriterState

__all__ = ["SqliteAuditReader", "SqliteAuditWriter"]

_MOST_NAMED: Final = 4096
"""Records that one entry names; more of them take several."""

_BATCH: Final = 4096
_FEW: Final = 10_000
_DIGITS: Final = 24
_COLUMNS: Final = "pk, at, actor, action, user, records, details, previous, hash"


class SqliteAuditReader(SqliteRows):
    """`AuditReader` on an open transaction.

    A fingerprint is an HMAC-SHA-256 under the store's own random id, cut to 96 bits: the same name has another one in
    another store. Whoever has the whole file can still try names; what is not guessed cannot be read back.
    """

    def _store_id(self) -> str:
        ((store_id,),) = self._all("SELECT value FROM meta WHERE key = 'store_id'")
        return str(store_id)

    @reads("entry of the audit")
    def entries(self, wanted: AuditFilter, limit: int) -> list[AuditEntry]:
        key = self._store_id()
        user = None if wanted.user is None else fingerprint(key, wanted.user)
        record = None
        if wanted.user is not None and wanted.record is not None:
            record = fingerprint(key, wanted.user, wanted.record)
        since = MIN_MICROS if wanted.since is None else wanted.since
        until = MAX_MICROS + 1 if wanted.until is None else wanted.until
        timed = (wanted.since, wanted.until) != (None, None)
        few = timed and user is None and self._are_few(since, until)
        # Only what is asked for: `:user IS NULL OR user = :user` would look at the entries of all. `+`: by the user,
        # else by times that have few entries, else by the action, and the last so many in the order of keys.
        conditions = {
            "user = :user": user,
            f"{'+' if few or user is not None else ''}action = :action": wanted.action,
            "EXISTS (SELECT 1 FROM json_each(records) j WHERE j.value = :record)": record,
        }
        given = ["TRUE", *(condition for condition, value in conditions.items() if value is not None)]
        if few:
            given.append("pk IN (SELECT pk FROM audit WHERE at >= :since AND at < :until)")
        elif timed:  # else entries with times that cannot be are read, and told of
            given.append("+at >= :since AND +at < :until")
        rows = self._all(
            f"SELECT {_COLUMNS} FROM audit WHERE {' AND '.join(given)} ORDER BY pk DESC LIMIT :limit",  # noqa: S608
            {
                "user": user,
                "record": record,
                "action": wanted.action,
                "since": since,
                "until": until,
                "limit": limit,
            },
        )
        return [
            AuditEntry(
                pk, from_micros(at), actor, action, of, tuple(json.loads(records)), json.loads(details), hash_
            )
            for pk, at, actor, action, of, records, details, _, hash_ in reversed(rows)
        ]

    def _are_few(self, since: Micros, until: Micros) -> bool:
        """Whether so few entries are of a time that all of them may be looked at. Of very many, the last ones are near
        the end of the audit."""
        count = "SELECT count(*) FROM (SELECT 1 FROM audit WHERE at >= ? AND at < ? LIMIT ?)"
        return bool(self._one(count, (since, until, _FEW)) < _FEW)

    def problems(self) -> list[str]:
        previous, last, found = _beginning(self._store_id()), 0, []
        while rows := self._all(
            f"SELECT {_COLUMNS} FROM audit WHERE pk > ? ORDER BY pk LIMIT ?",  # noqa: S608
            (last, _BATCH),
        ):
            for pk, *values, before, hash_ in rows:
                if pk != last + 1:
                    found.append(f"audit: entries {last + 1} to {pk - 1} are missing")
                elif before != previous:
                    found.append(f"audit: entry {pk} does not follow the one before it")
                if _hash(before, pk, values) != hash_:
                    found.append(f"audit: entry {pk} was changed")
                last, previous = pk, hash_
        # The database itself counts what was ever entered.
        entered = self._all("SELECT seq FROM sqlite_sequence WHERE name = 'audit'")
        if entered and entered[0][0] != last:
            found.append(f"audit: entries {last + 1} to {entered[0][0]} are missing")
        return found


class SqliteAuditWriter(SqliteAuditReader):
    """`AuditWriter` on an open exclusive transaction."""

    def __init__(self, connection: sqlite3.Connection, state: WriterState) -> None:
        super().__init__(connection)
        self._state = state

    def append(
        self,
        at: Micros,
        actor: str,
        action: str,
        user: str | None,
        ids: Sequence[str],
        details: Mapping[str, Any],
    ) -> None:
        key = self._settled_key()
        of = None if user is None else fingerprint(key, user)
        for start in range(0, max(len(ids), 1), _MOST_NAMED):
            named = [fingerprint(key, user or "", id_) for id_ in ids[start : start + _MOST_NAMED]]
            values = (at, actor, action, of, _dump(named), _dump(dict(details)))
            number, previous = self._last()
            hash_ = _hash(previous, number + 1, values)
            self._connection.execute(
                f"INSERT INTO audit ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                (number + 1, *values, previous, hash_),
            )
            self._state.audit = number + 1, hash_

    def _settled_key(self) -> str:
        key = self._state.settings.get("store_id")
        if key is None:
            key = self._state.settings["store_id"] = self._store_id()
        return key

    def _last(self) -> tuple[int, str]:
        if self._state.audit is None:
            rows = self._all("SELECT pk, hash FROM audit ORDER BY pk DESC LIMIT 1")
            self._state.audit = rows[0] if rows else (0, _beginning(self._settled_key()))
        return self._state.audit


def fingerprint(key: str, user: str, record: str | None = None) -> str:
    """Of a user, or of a record of theirs."""
    named = [user] if record is None else [user, record]
    return hmac.new(key.encode(), _dump(named).encode(), hashlib.sha256).hexdigest()[:_DIGITS]


def _beginning(store_id: str) -> str:
    """What stands for the hash before the first entry."""
    return hashlib.sha256(f"memspan audit {store_id}".encode()).hexdigest()


def _hash(previous: str, number: int, values: Sequence[Any]) -> str:
    return hashlib.sha256(_dump([previous, number, *values]).encode()).hexdigest()


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
