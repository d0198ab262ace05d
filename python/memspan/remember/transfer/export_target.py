"""Where an export goes: a file that is whole or not there, or what takes bytes as they come."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Final, TypeAlias

from memspan.arguments import as_path
from memspan.base.replacing import replacing
from memspan.errors import invalid
from memspan.remember.engine import Engine

__all__ = ["TextFile", "writable"]

TextFile: TypeAlias = str | os.PathLike[str] | IO[str]
"""A path, or an open text file."""

_DATABASE: Final = ("", "-wal", "-shm", "-journal")
"""What the names of a database's own files end in."""


def writable(file: TextFile, engine: Engine) -> AbstractContextManager[IO[str]]:
    """An open text file as it is; a path, of which links are followed, opened for writing.

    A regular file is written beside itself, readable by the owner only, and takes its place at the end: a failed export
    leaves the older file. A pipe or a device is written as it is: nothing may take its place.

    Raises:
        InvalidArgumentError: no path or text file, or a file of the engine's store.
        OSError: the file cannot be written.
    """
    if not isinstance(file, (str, os.PathLike)):
        if not hasattr(file, "write"):
            raise invalid("file", file, "a path or a text file open for writing")
        return nullcontext(file)
    path = Path(os.fsdecode(as_path(file, "file")))
    target = Path(os.path.realpath(path))
    if any(_same(target, own) for own in _files_of(engine)):
        accepted = "a file that does not belong to the store that is exported"
        raise invalid("file", str(path), accepted)
    return replacing(path, mode=0o600)


def _files_of(engine: Engine) -> Sequence[Path]:
    """The database, its log and locks, which lie beside what a link leads to, and the cache of the index."""
    database = os.path.realpath(engine.store.path)
    return [*(Path(database + ending) for ending in _DATABASE), engine.snapshots.path]


def _same(target: Path, own: Path) -> bool:
    """Whether both names stand for one file, whether it is there or not."""
    try:
        return os.path.samefile(target, own)
    except OSError:
        return target == Path(os.path.realpath(own))
