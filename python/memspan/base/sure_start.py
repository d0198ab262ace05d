"""Start a thread without waiting for one that never comes to life."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from typing import Final

__all__ = ["call", "start"]

_SECONDS: Final = 10.0
"""For how long a thread is waited for."""


def start(thread: threading.Thread) -> None:
    """As `thread.start()`, which waits for ever where the thread dies for want of memory before its first line.

    Raises:
        RuntimeError: there are too many threads, or the interpreter ends.
        MemoryError: there is no memory for it, or it did not begin in time; on a very slow machine it may still do.
    """
    call(thread.start)


def call(starting: Callable[[], object]) -> None:
    """The same for what makes and starts a thread somewhere inside, as if the calling thread did: else it would be a
    daemon, and one without a name would be listed for ever beside it."""
    failures: list[BaseException] = []
    begun = threading.Lock()
    begun.acquire()
    caller, known = threading.current_thread(), getattr(threading, "_active", {})

    def run() -> None:
        here = threading.get_ident()
        try:
            known[here] = caller
            starting()
        except BaseException as failure:
            failures.append(failure)
        finally:
            known.pop(here, None)
            begun.release()

    _thread.start_new_thread(run, ())
    if not begun.acquire(timeout=_SECONDS):
        raise MemoryError("a thread did not begin: there is no memory for it")
    if failures:
        raise failures[0]
