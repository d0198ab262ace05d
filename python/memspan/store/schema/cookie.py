"""The number in the header of a SQLite file that changes when its schema does, and when the file is rewritten."""

from __future__ import annotations

import sqlite3
from typing import Final

__all__ = ["fits_cookie", "keep_cookie"]

_KEPT: Final = "schema_cookie"
"""The setting that says what it is, or is about to be."""


def keep_cookie(connection: sqlite3.Connection, ahead: int = 0) -> None:
    """Note what it is, inside an open exclusive transaction, after which so many changes of it will follow."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEPT, _cookie(connection) + ahead))


def fits_cookie(connection: sqlite3.Connection) -> bool:
    """Whether it is what was noted, or one less: the change is still to come, or was given up."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_KEPT,)).fetchone()
    return row is not None and 0 <= row[0] - _cookie(connection) <= 1


def _cookie(connection: sqlite3.Connection) -> int:
    (cookie,) = connection.execute("PRAGMA schema_version").fetchone()
    return int(cookie)
