"""Two pieces of work at once, without waiting for a thread that never comes to life."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from contextlib import suppress

__all__ = ["both"]


def both(one: Callable[[], object], other: Callable[[], object]) -> None:
    """Call both; the other on a thread of its own, if that begins before `one` has ended.

    `Thread.start` waits until the thread runs, which is for ever where it dies before that for want of memory.

    Raises:
        BaseException: what `one` raised, or else what `other` did; neither runs any more then.
    """
    claim, ended = threading.Lock(), threading.Lock()
    failures: list[BaseException] = []
    ended.acquire()

    def run() -> None:
        if claim.acquire(blocking=False):
            try:
                other()
            except BaseException as failure:
                failures.append(failure)
            finally:
                ended.release()

    # The interpreter is ending and starts none, or there are too many, or no memory for one.
    with suppress(RuntimeError, MemoryError):
        _thread.start_new_thread(run, ())
    try:
        one()
    finally:
        unclaimed = claim.acquire(blocking=False)
        if not unclaimed:
            ended.acquire()
    if unclaimed:
        other()
    if failures:
        raise failures[0]
