"""A lock is not taken again by who had it last while others wait for it."""

from __future__ import annotations

from threading import get_ident
from time import monotonic, sleep
from typing import Final

__all__ = ["Turns"]

_LONGEST: Final = 0.02
"""Seconds to stand back at most: who seemed to wait may have been interrupted."""
_LOOK: Final = 0.0002


class Turns:
    """Beside a lock, of which a thread that works in slices gives the others a turn between two of these.

    A lock that is released and taken again at once goes to the same thread nearly every time: who waits is only woken
    then, and comes too late.

        came = turns.arrive()
        try:
            with lock:
                turns.take()
                ...
        finally:
            turns.leave(came)

    Every call is safe without the lock, as a set changes in one step. Nobody waits for long for somebody who is not
    there any more. Who has the lock and asks for it again, where it is reentrant, does not stand back.
    """

    __slots__ = ("_holder", "_last", "_waiting")

    def __init__(self) -> None:
        self._waiting: set[int] = set()
        self._last = 0
        """The thread that had the lock last, or has it."""
        self._holder = 0
        """The thread that has it; 0: none."""

    def arrive(self) -> bool:
        """Stand back for others if this thread had the lock last; then wait as they do. False: it has the lock."""
        me = get_ident()
        if self._holder == me:
            return False
        if self._waiting and self._last == me:
            self._stand_back(me)
        self._waiting.add(me)
        return True

    def take(self) -> None:
        """This thread has the lock now."""
        self._holder = self._last = me = get_ident()
        self._waiting.discard(me)

    def leave(self, came: bool) -> None:
        """It has it no more, or never got it. `came`: what `arrive` returned."""
        if not came:
            return
        me = get_ident()
        if self._holder == me:
            self._holder = 0
        self._waiting.discard(me)

    def _stand_back(self, me: int) -> None:
        until = monotonic() + _LONGEST
        while self._waiting and self._last == me:
            sleep(_LOOK)
            if monotonic() > until:
                self._waiting.clear()
