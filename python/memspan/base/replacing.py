"""`replacing`: a text file that takes the place of an older one when it is whole."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO

__all__ = ["replacing"]


def replacing(path: Path, *, mode: int = 0o666) -> AbstractContextManager[IO[str]]:
    """The path, of which links are followed, opened for writing in UTF-8.

    A regular file is written beside itself and takes its place at the end: where that fails, the older file stays. A
    pipe or a device is written as it is: nothing may take its place.

    Args:
        mode: who may do what with the file, less the process's umask.

    Raises:
        OSError: the file cannot be written.
    """
    target = Path(os.path.realpath(path))
    # What stands for an open pipe, such as /dev/stdout, leads to a name under which nothing is.
    if _exists(path) and not target.is_file():
        return open(path, "w", encoding="utf-8", newline="\n")
    return _beside(target, mode)


def _exists(path: Path) -> bool:
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _beside(path: Path, mode: int) -> Iterator[IO[str]]:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    except OSError as error:  # which would name the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as lines:
            yield lines
            lines.flush()
            os.fsync(lines.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
