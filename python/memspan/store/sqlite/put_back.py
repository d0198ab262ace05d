"""Notice that an older state was written into the file, by SQLite's own means, while others had it open."""

from __future__ import annotations

import sqlite3

from memspan.store.schema.cookie import announce_cookie, drop_given_up, fits_cookie, keep_cookie
from memspan.store.sequence import begin_history

from .reader import SqliteReader

__all__ = ["announce_rewrite", "notice_put_back"]


def notice_put_back(connection: sqlite3.Connection) -> None:
    """Begin another history, inside an open exclusive transaction, where the file was put back since the last one.

    Those who have it open would take what is written from now on for what follows on the state that they know, which
    is lost. SQLite gives a file into which it copies another one the schema cookie after its own; what was noted of the
    cookie comes from the other one, so that the two do not fit.
    """
    if fits_cookie(connection):
        drop_given_up(connection)
    else:
        sequence = begin_history(SqliteReader(connection).sequence())
        connection.execute("UPDATE meta SET value = ? WHERE key = 'sequence'", (sequence,))
        keep_cookie(connection)


def announce_rewrite(connection: sqlite3.Connection) -> None:
    """Tell others that a `VACUUM` is coming, which changes the cookie by one and no content."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        notice_put_back(connection)
        announce_cookie(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
