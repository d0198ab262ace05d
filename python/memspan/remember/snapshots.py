"""The snapshot file beside a store: a cache of the index, believed only when it provably belongs to the
store's past.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any, Final

from memspan._core import ANALYZER_VERSION
from memspan.errors import CorruptSnapshotError, SnapshotVersionError, StoreError
from memspan.index import Index
from memspan.store import Store, StoreReader, StoreWriter
from memspan.times import Micros

from .compose import COMPOSE_VERSION
from .index_options import IndexOptions

__all__ = ["MISSING", "LoadedSnapshot", "Snapshots"]

_logger = logging.getLogger("memspan")
_TOKEN: Final = "snapshot"  # noqa: S105 - a name of a setting
_STORE_ID: Final = "store_id"
MISSING: Final = "is missing"
"""What `Snapshots.examine` says about a file that was saved and is not there any more."""
_OTHER: Final = "belongs to another state of the store"

_ATTEMPTS: Final = 3
_PAUSE: Final = 0.05
"""Seconds."""


@dataclass(frozen=True, slots=True)
class LoadedSnapshot:
    """An index as of a point of the store's change sequence."""

    index: Index
    sequence: int
    uses: Micros
    """It holds all uses that were written to the store by then."""


class Snapshots:
    """Saves and loads `<store>.index`.

    Invariants:
    - A file is written, replaced and deleted only while its writer holds the store's write lock, so no
    process can
      bring erased content back with a file that it began to write earlier.
    - Saving leaves a random token in the database, in the transaction that publishes the file; the file
    carries the
      same token. A database restored from a backup has another token or none: a file from its lost future, or
      from before, cannot pass for its past.
    """

    def __init__(self, store_path: Path, embedder: Mapping[str, Any], analyzer: str) -> None:
        self.path: Final = store_path.with_name(store_path.name + ".index")
        # Whatever the native writer adds to a file's name: what a killed one left is found without a look through the
        # store's folder, which may hold much else.
        self._workshop: Final = self.path.with_name(self.path.name + ".tmp")
        self._looked_beside = False
        self._embedder = dict(embedder)
        self._analyzer = analyzer
        self._loaded: str | None = None  # the token of the file that was loaded last
        self._distrusted: str | None = None
        self._before: tuple[str | None] | None = None  # The database's token when a new file took its place.

    def load(self, store: Store, options: IndexOptions) -> LoadedSnapshot | None:
        """The saved index, or `None` when there is none that can be believed; anything unexpected is logged.

        Users are read from it when they are first asked for: any later call on the index may raise
        `CorruptSnapshotError`.
        """
        found = self._attempt(store, options)
        if isinstance(found, str):
            _logger.warning("snapshot %s %s; the index is rebuilt from the store", self.path, found)
            return None
        return found

    def examine(self, store: Store) -> LoadedSnapshot | str | None:
        """As `load`, but reads and checks everything at once, and returns what is wrong instead of logging it.

        Linear in the size of the file.
        """
        return self._attempt(store, None)

    def distrust(self) -> None:
        """Never load the file again that was loaded last."""
        self._distrusted = self._loaded

    def _attempt(self, store: Store, options: IndexOptions | None) -> LoadedSnapshot | str | None:
        expected = _token(store)
        for _ in range(_ATTEMPTS):
            found = self._examine(store, expected, options)
            now = _token(store)
            if isinstance(found, str) and found.startswith((MISSING, _OTHER)) and now == expected:
                sleep(_PAUSE)  # Whoever deletes or replaces the file commits that a moment later.
                now = _token(store)
            if not isinstance(found, str) or now == expected:
                return found
            expected = now  # Another process replaced or deleted the file meanwhile.
        return found

    def _examine(
        self, store: Store, expected: str | None, options: IndexOptions | None
    ) -> LoadedSnapshot | str | None:
        if self.path.is_symlink():
            return "is a symbolic link"
        if expected is None:
            # Never saved, or deleted by a removal: nothing is wrong. A file that is there all the same is not
            # ours.
            return "is not known to the store" if self.path.exists() else None
        if not self.path.is_file():
            return MISSING
        if options is not None and expected == self._distrusted:
            return None  # What is wrong was said when it was found.
        try:
            index = self._open(options)
            if options is not None and index.row_format != options.row_format:
                return f"keeps vectors as {index.row_format}, not {options.row_format}"
            stamp = json.loads(index.stamp)
            with store.reading() as reader:
                wanted = self._stamp(reader, expected, stamp["sequence"])
                newest = reader.sequence()
        except SnapshotVersionError as error:
            return f"is of another version ({error})"
        except CorruptSnapshotError as error:
            return f"is damaged ({error})"
        except OSError as error:
            return f"cannot be read ({error})"
        except (ValueError, TypeError, KeyError):
            return "has no stamp of a store"
        different = [key for key in wanted if stamp.get(key) != wanted[key]]
        if different:
            return f"{_OTHER} (differs in {', '.join(different)})"
        if not isinstance(stamp["sequence"], int) or not 0 <= stamp["sequence"] <= newest:
            return "is newer than the store"
        if options is not None:
            self._loaded = expected
        uses = stamp.get("uses")
        return LoadedSnapshot(index, stamp["sequence"], uses if isinstance(uses, int) else -1)

    def _open(self, options: IndexOptions | None) -> Index:
        if options is None:
            return Index.load(self.path, verify=True, auto_consolidate=False)
        return Index.load(
            self.path,
            max_resident_bytes=options.max_resident_bytes,
            spill_directory=options.spill_directory,
            auto_consolidate=options.auto_consolidate,
            track_uses=True,
        )

    def save(self, index: Index, writer: StoreWriter, uses: Micros) -> None:
        """Write the index, which must equal the writer's view, in the writer's transaction. It has all uses that were
        written by `uses`. Whoever opens the store meanwhile finds the old file.

        Raises:
            OSError, MemspanError: it could not be written; the store is as it was, and so is the old file, unless the
                new one could not take its place.
        """
        before, self._before = writer.meta(_TOKEN), None
        self._delete_leftovers()
        token = secrets.token_hex(16)
        stamped = {**self._stamp(writer, token, writer.sequence()), "uses": uses}
        stamp = json.dumps(stamped, sort_keys=True)
        temporary = self._workshop / "index"
        try:
            _make(self._workshop)
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            index.save(temporary, stamp=stamp)
            os.chmod(temporary, 0o600)
            self._before = (before,)
            os.replace(temporary, self.path)
        finally:
            with suppress(OSError):
                _empty(self._workshop)
        writer.set_meta(_TOKEN, token)

    def withdraw(self, writer: StoreWriter) -> None:
        """Delete the file that `save` wrote in a transaction that was rolled back; nothing otherwise.

        Raises:
            StoreError: it cannot be deleted.
        """
        before, self._before = self._before, None
        # With another token somebody has saved since, or erased something: the file is not that one any more.
        if before == (writer.meta(_TOKEN),):
            self.delete(writer)

    def delete(self, writer: StoreWriter) -> None:
        """Delete the file and what crashed writers left of others. The caller holds the write lock: nobody
        writes one.

        Raises:
            StoreError: a file cannot be deleted; names it.
        """
        writer.set_meta(_TOKEN, None)
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise _not_deleted(self.path, error) from error
        self._delete_leftovers()

    def _delete_leftovers(self) -> None:
        file = self._workshop
        try:
            _empty(file)
            if not self._looked_beside:
                # Earlier versions wrote there.
                leftover = re.compile(re.escape(self.path.name) + r"\.[0-9a-f]{16}\.tmp.*", re.DOTALL)
                for file in self.path.parent.iterdir():
                    if leftover.fullmatch(file.name):
                        file.unlink(missing_ok=True)
                self._looked_beside = True
        except OSError as error:
            raise _not_deleted(file, error) from error

    def _stamp(self, reader: StoreReader, token: str, sequence: int) -> dict[str, Any]:
        return {
            "store": reader.meta(_STORE_ID),
            "token": token,
            "sequence": sequence,
            "embedder": self._embedder,
            "analyzer": f"{self._analyzer}/{ANALYZER_VERSION}",
            "compose": COMPOSE_VERSION,
        }


def _not_deleted(file: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{file}: cannot be deleted ({error.strerror}); nothing was changed; what is there must go, as it may hold "
        "what was erased"
    )


def _token(store: Store) -> str | None:
    with store.reading() as reader:
        return reader.meta(_TOKEN)


def _make(folder: Path) -> None:
    """A folder for the owner alone; it may be there, but must be one and no link."""
    try:
        folder.mkdir(0o700)
    except FileExistsError:
        if folder.is_symlink():
            raise
        folder.chmod(0o700)


def _empty(folder: Path) -> None:
    """Delete a folder and the files in it, if it is there; nothing that a link leads to. Folders in it are not ours:
    they stay, and it with them."""
    if folder.is_symlink():
        return
    with suppress(FileNotFoundError, NotADirectoryError):
        for file in folder.iterdir():
            if file.is_symlink() or not file.is_dir():
                file.unlink(missing_ok=True)
        # Some file systems keep a file under another name for as long as it is open.
        with suppress(OSError):
            folder.rmdir()
