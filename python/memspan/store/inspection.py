"""Look at a store without opening it for work."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from memspan.errors import StoreError

from .connection import translated
from .migrations import schema_version
from .schema import SCHEMA_VERSION

__all__ = ["Inspection", "inspect"]


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
    """Read a store's settings through a read-only connection; `None` when there is no file.

    Raises:
        StoreError: a folder, or the file is not a store, is damaged, or is of a newer schema.
    """
    file = Path(path)
    if not file.exists() or file.stat().st_size == 0:
        return None
    if file.is_dir():
        raise StoreError(f"{file}: is a folder; a store is a file, such as '{file / 'agent.memspan'}'")
    with translated(file):
        connection = sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro", uri=True, timeout=30.0)
        with closing(connection):
            version = schema_version(connection, file)
            rows = connection.execute("SELECT key, value FROM meta").fetchall() if version else []
    return Inspection(version, SCHEMA_VERSION - version, {key: str(value) for key, value in rows})
