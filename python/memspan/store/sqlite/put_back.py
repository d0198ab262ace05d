"""Notice that an older state was written into the file, by SQLite's own means, while others had it open."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from memspan.store.schema.cookie import (
    announce_cookie,
    drop_given_up,
    fits_cookie,
    keep_cookie,
    withdraw_cookie,
)
from memspan.store.sequence import begin_history

from .reader import SqliteReader

__all__ = ["announce_rewrite", "announced_rewrite", "notice_put_back"]

_BRIEFLY_MS: Final = 100


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


@contextmanager
def announced_rewrite(connection: sqlite3.Connection) -> Iterator[None]:
    """Tell others that the block makes a `VACUUM`, which changes the cookie by one and no content. Where it fails, that
    is taken back, if it can be: many that failed, as on a full disk, would look like a file that was put back."""
    before = announce_rewrite(connection)
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            # Whoever has the lock may be why it failed, and was waited for already.
            connection.execute(f"PRAGMA busy_timeout = {_BRIEFLY_MS}")
            with _exclusive(connection):
                withdraw_cookie(connection, before)
        raise


def announce_rewrite(connection: sqlite3.Connection) -> int:
    """Tell others that a `VACUUM` is coming; returns the cookie that there is."""
    with _exclusive(connection):
        notice_put_back(connection)
        return announce_cookie(connection)


@contextmanager
def _exclusive(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
