"""Open SQLite connections with the settings that durability and erasure depend on; translate errors."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from memspan.errors import StoreError

from .json_texts import add_function
from .malformed import Malformed

__all__ = [
    "BUSY_SECONDS",
    "LOG_PAGES",
    "connect",
    "create_private_file",
    "find_temporary_folder",
    "refuse_read_only",
    "translated",
]

BUSY_SECONDS: Final = 30.0
"""How long a connection waits for another one's lock."""

LOG_PAGES: Final = 1000
"""Pages of log from which on a commit copies them into the database; see `Checkpoints` for large commits."""

_FILES: Final = 6
"""That a connection has open: database, log, shared memory, and for a moment a folder and what is temporary."""

MINIMUM_SQLITE: Final = (3, 37, 0)
"""The first SQLite with STRICT tables."""

_TEMPORARY: Final = ("/var/tmp", "/usr/tmp", "/tmp", ".")  # noqa: S108 - only asked for
"""Where SQLite makes temporary files, besides what the environment names."""

_SETTINGS: Final = (
    "PRAGMA foreign_keys = ON",
    # A commit is on disk before it is acknowledged; WAL alone would only sync at checkpoints.
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    f"PRAGMA wal_autocheckpoint = {LOG_PAGES}",
    # Sorting must not spill users' texts into files that nobody erases.
    "PRAGMA temp_store = MEMORY",
)


class translated:  # noqa: N801 - a `with` statement reads it as a word
    """Turns every `sqlite3.Error` inside the block into a `StoreError` that names the file and the remedy, and so what
    is raised for text that is not UTF-8, or not JSON: nothing but stored values is decoded inside.

    A class, as every read and write goes through it: a generator takes a microsecond longer. It keeps nothing of a
    block: one serves for all.
    """

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and isinstance(error, (sqlite3.Error, json.JSONDecodeError, UnicodeDecodeError)):
            raise StoreError(f"{self._path}: {_explain(error, self._path)}") from error


def _explain(error: Exception, path: Path) -> str:
    text = str(error)
    if not isinstance(error, sqlite3.Error) or isinstance(error, Malformed):
        return f"the database is damaged ({text}); restore it from a backup"
    if "locked" in text or "busy" in text:
        return (
            f"another process or handle held the database lock for too long ({text}); the transaction that waited "
            "changed nothing; try again when its write has ended"
        )
    if "not a database" in text:
        return f"this file is not a memspan store ({text})"
    if "malformed" in text or "corrupt" in text or "Could not decode" in text:
        return f"the database is damaged ({text}); restore it from a backup{_beside_the_log(path)}"
    if "full" in text:
        return f"no space left for the database ({text}); the transaction that failed changed nothing"
    if ("unable to open" in text or "I/O" in text) and _too_many_files():
        return (
            f"too many files are open in this process, or on this machine ({text}); close some, such as memories that "
            "nobody asks any more, or raise the limit (ulimit -n)"
        )
    if "I/O" in text:
        return (
            f"the file system could not read or write its files ({text}): the disk may be full, a quota or a limit to "
            "the size of files used up, or the disk fails; when that is mended, see what `memspan verify` says"
        )
    if "readonly" in text or "unable to open" in text:
        if path.exists() and _is_writable(path) and not _is_writable(path.parent, os.X_OK):
            return (
                f"no files can be made in its folder, {path.parent}, where the database needs two beside its own "
                f"while it is open ({text}); check the folder's permissions"
            )
        return f"the database cannot be opened for writing ({text}); check the path and its permissions"
    return f"the database refused ({text})"


def _is_writable(path: Path, more: int = 0) -> bool:
    effective = os.access in os.supports_effective_ids
    return os.access(path, os.W_OK | more, effective_ids=effective)


def _too_many_files() -> bool:
    """Whether there are no more for a connection: a failed one has given back those that it got."""
    opened: list[int] = []
    try:
        opened.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(_FILES))
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return False


def _beside_the_log(path: Path) -> str:
    """SQLite writes what a log has into whatever file is under the name, also into one that was just put back."""
    log = path.with_name(path.name + "-wal")
    if not log.exists() or not log.stat().st_size:
        return ""
    return f", when nothing has it open and its log, {log}, is away: that belongs to the file that was there before"


def create_private_file(path: Path) -> None:
    """Create an empty file and missing folders, accessible to the owner only, unless the file exists.

    The file appears by a hard link: opening and closing an existing database by hand would drop the POSIX
    locks that another handle of this process holds on it.
    """
    # `mkdir(parents=True)` would give the mode to the last folder only.
    for folder in reversed([parent for parent in path.parents if not parent.exists()]):
        folder.mkdir(mode=0o700, exist_ok=True)
    if path.exists():
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    try:
        with suppress(FileExistsError):
            os.link(name, path)
    except OSError:
        # A file system without hard links: SQLite creates the file itself, with the permissions of the umask.
        pass
    finally:
        os.unlink(name)


def refuse_read_only(path: Path) -> None:
    """Raise what SQLite would when it wrote.

    It opens such a file to read, with a shared file beside it (`-shm`) that has the same permissions and stays: then
    nobody could write any more, also when the store's own permissions are put right. Who has the store open already has
    that file, and goes on reading.
    """
    shared = path.with_name(path.name + "-shm")
    if path.exists() and not shared.exists() and not _is_writable(path):
        raise sqlite3.OperationalError("attempt to write a readonly database")


def connect(path: Path, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A connection in autocommit mode, usable from any thread (by one at a time).

    Raises:
        StoreError: SQLite is too old.
        sqlite3.Error: the file cannot be opened, or not to write; callers translate.
    """
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        needed = ".".join(map(str, MINIMUM_SQLITE))
        raise StoreError(f"SQLite {needed} or newer is needed; this Python has {sqlite3.sqlite_version}")
    refuse_read_only(path)
    connection = sqlite3.connect(
        path, timeout=busy_seconds, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    try:
        _enter_wal_mode(connection, busy_seconds)
        for setting in _SETTINGS:
            connection.execute(setting)
        add_function(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def find_temporary_folder(connection: sqlite3.Connection, path: Path) -> None:
    """See that SQLite can make temporary files: in the store's folder, where none of its own places can be written to,
    as in a container whose root is read-only.

    That setting is the whole process's, so it is made only where nobody's temporary files could be made.
    """
    usable = os.W_OK | os.X_OK
    named = (os.environ.get(name) for name in ("SQLITE_TMPDIR", "TMPDIR"))
    places = [place for place in (*named, *_TEMPORARY) if place]
    if os.name == "posix" and not any(os.path.isdir(each) and os.access(each, usable) for each in places):
        folder = str(path.parent).replace("'", "''")
        connection.execute(f"PRAGMA temp_store_directory = '{folder}'")


def _enter_wal_mode(connection: sqlite3.Connection, busy_seconds: float) -> None:
    # The switch to WAL fails at once, without the busy handler, while another connection makes the same
    # switch.
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise sqlite3.OperationalError(
                f"unable to open the database in WAL mode, the file system gives '{mode}'"
            )
        return
