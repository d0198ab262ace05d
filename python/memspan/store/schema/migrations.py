"""Bring a database to the current schema."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from memspan.errors import StoreError

from .cookie import keep_cookie
from .normal_tags import add_functions
from .tables import APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION

__all__ = ["migrate", "require_current_schema", "schema_version"]


def schema_version(connection: sqlite3.Connection, path: Path) -> int:
    """The schema version of an opened database; 0 for an empty one. Reads only.

    Raises:
        StoreError: it is a database of some other program, or of a newer memspan.
    """
    # In one view: another process may be making the store at this moment.
    beginning = not connection.in_transaction
    if beginning:
        connection.execute("BEGIN")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    finally:
        # An error such as a full disk has ended the transaction already, and is what the caller should hear of.
        if beginning and connection.in_transaction:
            connection.execute("ROLLBACK")
    if application != APPLICATION_ID and (tables or version):
        raise StoreError(f"{path}: this is a SQLite database of another program, not a memspan store")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path}: the store has schema version {version}, this memspan reads up to {SCHEMA_VERSION}; "
            "upgrade memspan to open it"
        )
    return int(version)


def require_current_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse to go on when another process has migrated the database since it was opened."""
    if schema_version(connection, path) != SCHEMA_VERSION:
        raise StoreError(f"{path}: the schema changed while the store was open; open it again")


def migrate(connection: sqlite3.Connection, path: Path) -> int:
    """Apply what is missing and return how many steps that was.

    The steps and the new version number share one exclusive transaction, and the version is read inside it:
    processes that start together apply each step once, and a failing step leaves the old schema.

    Raises:
        StoreError: the schema is newer than this code.
        sqlite3.Error: a step failed; callers translate.
    """
    if schema_version(connection, path) == SCHEMA_VERSION:
        return 0
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = schema_version(connection, path)
        add_functions(connection)
        for step in MIGRATIONS[version:]:
            for statement in step:
                connection.execute(statement)
        # PRAGMA takes no parameters; both values are constants of this package.
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        keep_cookie(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return SCHEMA_VERSION - version
