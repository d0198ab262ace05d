"""The folder that a download goes to, beside the models."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

__all__ = ["pull_folder"]

_PREFIX: Final = ".pull-"
_SECONDS: Final = 60.0
"""How old a folder is that nobody can be about to lock for the first time."""


@contextmanager
def pull_folder(root: Path) -> Iterator[Path]:
    """A new folder, for as long as the block lasts. Those of pulls that were killed go, too: nobody locks them.

    Raises:
        OSError: it cannot be made.
    """
    for left in root.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _SECONDS:
                _remove_unlocked(left)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=root) as name:
        lock = os.open(name, os.O_RDONLY)
        try:
            # Where there are no such locks, nobody else gets one either, and what is left stays.
            with suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield Path(name)
        finally:
            os.close(lock)


def _remove_unlocked(folder: Path) -> None:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
