"""Times to live in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, Final

from memspan.store.lifetimes import UnsettledLifetime
from memspan.times import Micros

from .rows import SqliteRows, of_user
from .writer_state import WriterState

__all__ = ["SqliteLifetimeReader", "SqliteLifetimeWriter", "unsettled_lifetimes_key"]

_EVERYBODY: Final = 0
"""The key that stands for every user without a lifetime of its own."""

_MANY_USERS: Final = 4096
"""Users whose lifetimes are kept from one transaction to the next."""

_UNSETTLED: Final = "lifetimes_unsettled/"


def unsettled_lifetimes_key(user_pk: int) -> str:
    """The setting that names lifetimes which not all records have ends from. Keys of users are never used again."""
    return f"{_UNSETTLED}{user_pk}"


class SqliteLifetimeReader(SqliteRows):
    """`LifetimeReader` on an open transaction."""

    def lifetimes(self, user: str | None) -> Mapping[str, float]:
        """See `LifetimeReader.lifetimes`."""
        rows = self._all(
            "SELECT kind, seconds FROM lifetimes WHERE user_pk = "
            "CASE WHEN :user IS NULL THEN :everybody ELSE (SELECT pk FROM users WHERE name = :user) END",
            {"user": user, "everybody": _EVERYBODY},
        )
        return dict(rows)

    def of_kind(self, user: str, kind: str) -> list[str]:
        """See `LifetimeReader.of_kind`."""
        rows = self._all(
            "SELECT r.id FROM records r JOIN users u ON u.pk = r.user_pk WHERE u.name = ? AND r.kind = ?",
            (user, kind),
        )
        return [id_ for (id_,) in rows]

    def expired(
        self, user: str | None, now: Micros, limit: int, *, kept: bool = False
    ) -> list[tuple[str, str]]:
        """See `LifetimeReader.expired`."""
        return self._all(
            "SELECT u.name, r.id FROM record_states x JOIN records r ON r.pk = x.record_pk "  # noqa: S608
            "JOIN users u ON u.pk = x.user_pk WHERE x.expires_at IS NOT NULL AND x.expires_at <= :now "
            f"AND (:kept OR NOT (x.held OR x.pinned)) AND {of_user(user)} ORDER BY x.expires_at LIMIT :limit",
            {"user": user, "now": now, "limit": limit, "kept": kept},
        )

    def none_set(self) -> bool:
        """See `LifetimeReader.none_set`."""
        return self._connection.execute("SELECT 1 FROM lifetimes LIMIT 1").fetchone() is None

    def any_expiring(self) -> bool:
        """See `LifetimeReader.any_expiring`."""
        statement = "SELECT 1 FROM record_states WHERE expires_at IS NOT NULL LIMIT 1"
        return self._connection.execute(statement).fetchone() is not None

    def unsettled(self) -> list[UnsettledLifetime]:
        """See `LifetimeReader.unsettled`."""
        rows = self._all(f"SELECT key, value FROM meta WHERE key GLOB '{_UNSETTLED}*' ORDER BY key")  # noqa: S608
        found = []
        for key, value in rows:
            pk = int(key.removeprefix(_UNSETTLED))
            name = self._one("SELECT name FROM users WHERE pk = ?", (pk,))
            if pk == _EVERYBODY or name is not None:
                found += [UnsettledLifetime(name, kind, *rest) for kind, rest in json.loads(value).items()]
        return found


class SqliteLifetimeWriter(SqliteLifetimeReader):
    """`LifetimeWriter` on an open exclusive transaction.

    Args:
        state: keeps what was read; every added record asks for it.
        ensure_user: the key of a user, who is made when unknown.
    """

    def __init__(
        self, connection: sqlite3.Connection, state: WriterState, ensure_user: Callable[[str], int]
    ) -> None:
        super().__init__(connection)
        self._state = state
        self._ensure_user = ensure_user

    def lifetimes(self, user: str | None) -> Mapping[str, float]:
        kept = self._state.lifetimes
        found = kept.get(user)
        if found is None:
            if len(kept) >= _MANY_USERS:
                kept.clear()
            found = kept[user] = dict(super().lifetimes(user))
        return found

    def none_set(self) -> bool:
        if self._state.lifetimes_empty is None:
            self._state.lifetimes_empty = super().none_set()
        return self._state.lifetimes_empty

    def set_lifetime(self, user: str | None, kind: str, seconds: float | None) -> None:
        """See `LifetimeWriter.set_lifetime`."""
        self._state.lifetimes.pop(user, None)
        self._state.lifetimes_empty = None
        if seconds is None:
            pk = _EVERYBODY if user is None else self._user_pk(user)
            self._connection.execute("DELETE FROM lifetimes WHERE user_pk = ? AND kind = ?", (pk, kind))
        else:
            pk = _EVERYBODY if user is None else self._ensure_user(user)
            self._connection.execute(
                "INSERT OR REPLACE INTO lifetimes (user_pk, kind, seconds) VALUES (?, ?, ?)",
                (pk, kind, seconds),
            )

    def unsettle(self, begun: UnsettledLifetime) -> None:
        """See `LifetimeWriter.unsettle`."""
        self._note(begun.user, {**self._noted(begun.user), begun.kind: [begun.seconds, begun.by, begun.done]})

    def settle(self, done: UnsettledLifetime) -> None:
        """See `LifetimeWriter.settle`."""
        noted = self._noted(done.user)
        if noted.get(done.kind, [])[:2] == [done.seconds, done.by]:
            del noted[done.kind]
            self._note(done.user, noted)

    def _noted(self, user: str | None) -> dict[str, list[Any]]:
        value = self._one("SELECT value FROM meta WHERE key = ?", (self._key(user),))
        return {} if value is None else dict(json.loads(value))

    def _note(self, user: str | None, noted: Mapping[str, list[Any]]) -> None:
        if noted:
            row = self._key(user), json.dumps(noted)
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", row)
        else:
            self._connection.execute("DELETE FROM meta WHERE key = ?", (self._key(user),))

    def _key(self, user: str | None) -> str:
        return unsettled_lifetimes_key(_EVERYBODY if user is None else self._user_pk(user) or -1)
