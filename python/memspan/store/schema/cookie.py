"""The number in the header of a SQLite file that changes when its schema does, and when the file is rewritten."""

from __future__ import annotations

import sqlite3
from typing import Final

from memspan.times import now_micros

__all__ = ["announce_cookie", "drop_given_up", "fits_cookie", "keep_cookie", "withdraw_cookie"]

_KEPT: Final = "schema_cookie"
"""The setting that says what it is, or will be when all have done what they announced."""

_ANNOUNCED: Final = "schema_cookie_announced"
"""The setting that says when somebody announced something last."""

_MOST: Final = 16
"""That may be announced at a time."""

_MICROS: Final = 120_000_000
"""After which it was done, or given up: nobody waits for a lock that long."""


def keep_cookie(connection: sqlite3.Connection) -> None:
    """Note what it is, inside an open exclusive transaction, after which nothing changes it that is not announced."""
    _set(connection, _KEPT, _cookie(connection))


def announce_cookie(connection: sqlite3.Connection) -> int:
    """Note, inside an open exclusive transaction, that a rewriting comes, which adds one; others may have, too. Returns
    what it is now."""
    now = _cookie(connection)
    _set(connection, _KEPT, max(_get(connection, _KEPT) or 0, now) + 1)
    _set(connection, _ANNOUNCED, now_micros())
    return now


def withdraw_cookie(connection: sqlite3.Connection, before: int) -> None:
    """Take back, inside an open exclusive transaction, what was announced when it was `before` and did not come. When
    it is another one since, somebody else's rewriting may have come: then `drop_given_up` sees to it."""
    kept = _get(connection, _KEPT) or 0
    if before == _cookie(connection) < kept:
        _set(connection, _KEPT, kept - 1)


def fits_cookie(connection: sqlite3.Connection) -> bool:
    """Whether it is what was noted, or less by what is announced."""
    kept = _get(connection, _KEPT)
    return kept is not None and 0 <= kept - _cookie(connection) <= _MOST


def drop_given_up(connection: sqlite3.Connection) -> None:
    """Note what a cookie that fits is, where what was announced never came, as its process was killed."""
    if _get(connection, _KEPT) != _cookie(connection):
        since = now_micros() - (_get(connection, _ANNOUNCED) or 0)
        if not 0 <= since <= _MICROS:
            keep_cookie(connection)


def _cookie(connection: sqlite3.Connection) -> int:
    (cookie,) = connection.execute("PRAGMA schema_version").fetchone()
    return int(cookie)


def _get(connection: sqlite3.Connection, name: str) -> int | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
    return None if row is None else int(row[0])


def _set(connection: sqlite3.Connection, name: str, value: int) -> None:
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))
