"""Work on several things at once, in threads that do not outlive the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from memspan.cores import available_cores

__all__ = ["at_once", "run_each"]

Item = TypeVar("Item")
One = TypeVar("One")
Other = TypeVar("Other")


def run_each(run: Callable[[Item], None], items: Sequence[Item], threads: int, name: str) -> None:
    """Call `run` with every item, `threads` at once; in the calling thread if one would do.

    Items are begun in their order: with the largest first, no thread is left alone with a large one.

    Args:
        run: called once an item, from several threads.
        items: what it is called with.
        threads: most threads, at least 1.
        name: what the threads' names begin with.

    Raises:
        Exception: what `run` raised first, in the order of the items; those that have not begun then never do.
    """
    workers = min(threads, len(items))
    if workers <= 1:
        for item in items:
            run(item)
        return
    # A pool of this call only: nothing outlives it, and a fork later on inherits no dead threads.
    pool = ThreadPoolExecutor(workers, thread_name_prefix=name)
    try:
        for _ in pool.map(run, items):
            pass
    finally:
        pool.shutdown(cancel_futures=True)


def at_once(one: Callable[[], One], other: Callable[[], Other], name: str) -> tuple[One, Other]:
    """Call both, the other in a thread of its own, and return what they gave; with one core, one after the other.

    Args:
        one: called in the calling thread.
        other: called from another one.
        name: what that thread's name begins with.

    Raises:
        Exception: what `one` raised, otherwise what `other` did; both have ended then.
    """
    if available_cores() < 2:
        return one(), other()
    with ThreadPoolExecutor(1, thread_name_prefix=name) as pool:
        later = pool.submit(other)
        return one(), later.result()
