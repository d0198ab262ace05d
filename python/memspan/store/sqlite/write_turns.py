"""Begin transactions that write, in turns with other processes."""

from __future__ import annotations

import sqlite3
from time import monotonic, sleep
from typing import Final

__all__ = ["HURRIED", "WriteTurns"]

HURRIED: Final = 2.0
"""Seconds to wait for what need not be written."""

_LOOK: Final = 0.001
"""Seconds from one attempt to the next, while another process writes; each takes some 30 us of the processor."""
_LONG_LOOK: Final = 0.002
"""The same for who has waited for `_LONG`; less than `_PAUSE`."""
_LONG: Final = 0.04
"""Seconds of writing after which others get a turn."""
_SHORT: Final = 0.002
"""What takes less leaves others time enough between two of its kind."""
_PAUSE: Final = 0.0025
"""Seconds for which nobody writes then: some attempt of each of the others falls into them."""


class WriteTurns:
    """Of one store in one process. Calls come from whoever holds the pool's writer.

    SQLite itself would look again after up to a tenth of a second, when the lock has been free and taken again many
    times by who works in slices: a single write waited until all of these were done. Its connection must not wait.
    """

    def __init__(self, busy_seconds: float) -> None:
        self._busy_seconds = busy_seconds
        self._began = 0.0
        self._ended = 0.0
        self._held = 0.0
        """Seconds of writing without a pause."""

    def begin(self, connection: sqlite3.Connection) -> None:
        """Begin an exclusive transaction when nobody else has one.

        Raises:
            sqlite3.OperationalError: somebody had for too long.
        """
        if self._held > _LONG:
            self._pause()
        since = None
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise
                now = monotonic()
                since = now if since is None else since
                if now - since > self._busy_seconds:
                    message = f"{error} for more than {self._busy_seconds:g} seconds"
                    raise sqlite3.OperationalError(message) from error
            sleep(_LOOK if now - since < _LONG else _LONG_LOOK)
        self._began = monotonic()

    def hurry(self) -> None:
        """Wait no longer than `HURRIED` from now on."""
        self._busy_seconds = min(self._busy_seconds, HURRIED)

    def end(self) -> None:
        """The transaction has ended."""
        self._ended = monotonic()
        took = self._ended - self._began
        if took > _SHORT:
            self._held += took

    def _pause(self) -> None:
        self._held = 0.0
        rest = self._ended + _PAUSE - monotonic()
        if rest > 0:
            sleep(rest)
