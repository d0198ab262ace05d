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

    A regular file is written beside itself and takes its place at the end: where that fails, the older file stays.
    Where the file system can have files without a name, nothing stays of one whose process is killed. A pipe or a
    device is written as it is: nothing may take its place.

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
        descriptor, named = _opened(temporary, mode)
    except OSError as error:  # which would name the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as lines:
            yield lines
            lines.flush()
            os.fsync(descriptor)
            if not named:
                # Only with a folder, which nothing is looked up in here, `os.link` follows a link.
                os.link(_link_to(descriptor), temporary, src_dir_fd=descriptor)
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        # A full disk names no file, and what fails at the end the temporary one.
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _opened(temporary: Path, mode: int) -> tuple[int, bool]:
    """A new file in the folder, and whether it has that name yet. Where the file system can have one without, nothing
    of it stays when the process is killed."""
    with suppress(AttributeError, OSError):  # of other systems, and of file systems that cannot
        descriptor = os.open(temporary.parent, os.O_TMPFILE | os.O_WRONLY, mode)
        if os.path.exists(_link_to(descriptor)):
            return descriptor, False
        os.close(descriptor)
    return os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), True


def _link_to(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}"
