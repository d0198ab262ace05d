"""Times and ids for records that come without them."""

from __future__ import annotations

import os
import secrets
import threading
from typing import Final

from memspan.times import Micros, now_micros

__all__ = ["new_id", "next_moments"]

_FAR: Final = 10_000_000
"""Microseconds that the moments may be ahead of the clock: a large batch takes as many as it has messages, faster than
they pass. What is further ahead was given out by a clock that has been set back since."""

_lock = threading.Lock()
_last: Micros = 0


def _renew_lock() -> None:
    """A thread that a forked child does not have may hold it."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def next_moments(count: int) -> Micros:
    """Reserve `count` successive microseconds that end now, or as soon as possible, and return the first.

    No moment is given out twice in a process, so what is added later sorts later, even within one tick of the
    clock, unless the clock is set back by more than ten seconds.
    """
    global _last
    with _lock:
        now = now_micros()
        first = now - count + 1
        if first <= _last <= now + _FAR:
            first = _last + 1
        _last = first + count - 1
        return first


def new_id() -> str:
    """A new id that sorts by the time it was made: 14 hexadecimal digits of microseconds, 16 random ones."""
    return f"{next_moments(1):014x}-{secrets.token_hex(8)}"
