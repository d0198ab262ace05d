"""Look at a store without opening it for work."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from memspan.errors import StoreError
from memspan.store.schema.migrations import schema_version
from memspan.store.schema.tables import SCHEMA_VERSION

from .connection import BUSY_SECONDS, refuse_read_only, translated

__all__ = ["Inspection", "inspect"]

_NOTHING_THERE: Final = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)
"""There is no file under such a path; what keeps it from being made shows when somebody tries."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a store says about itself."""

    schema: int
    """Schema version of the file."""
    pending: int
    """Migrations that opening it would apply."""
    settings: dict[str, str]
    """The `meta` table, such as `embedder`, `analyzer` and `store_id`; empty before the first migration."""


def inspect(path: str | os.PathLike[str]) -> Inspection | None:
    """Read a store's settings; `None` when there is no file.

    Raises:
        StoreError: a folder, or the file cannot be reached or written to, is not a store, is damaged, or is of a newer
            schema.
    """
    file = Path(path)
    try:
        status = file.stat()
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return None
        raise StoreError(f"{file}: cannot be opened ({error.strerror})") from error
    if status.st_size == 0:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise StoreError(f"{file}: is a folder; a store is a file, such as '{file / 'agent.memspan'}'")
    with translated(file):
        refuse_read_only(file)
        # One that only reads would leave its log and shared file where it is the last to close.
        connection = sqlite3.connect(
            f"file:{quote(os.fsencode(file.absolute()))}?mode=rw", uri=True, timeout=BUSY_SECONDS
        )
        with closing(connection):
            version = schema_version(connection, file)
            rows = connection.execute("SELECT key, value FROM meta").fetchall() if version else []
    return Inspection(version, SCHEMA_VERSION - version, {key: str(value) for key, value in rows})
