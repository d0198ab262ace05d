"""Work on several things at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import cache
from typing import TypeVar

from memspan.base.cores import available_cores
from memspan.base.sure_pool import SurePool

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
    pool = SurePool(workers, thread_name_prefix=name)
    begun: list[Future[None]] = []
    try:
        with suppress(RuntimeError, MemoryError):  # No thread can be had, as where the interpreter ends.
            begun.extend(pool.submit(run, item) for item in items)
        for each in begun:
            each.result()
        for item in items[len(begun) :]:
            run(item)
    finally:
        pool.shutdown(cancel_futures=True)


def at_once(one: Callable[[], One], other: Callable[[], Other]) -> tuple[One, Other]:
    """Call both, the other in a thread of its own, and return what they gave; with one core, one after the other.

    That thread is kept for the next call: to start one takes longer than many a question is worth.

    Args:
        one: called in the calling thread.
        other: called from another one, which may wait for as many others as there are cores. It does not use this.

    Raises:
        Exception: what `one` raised, otherwise what `other` did; both have ended then.
    """
    if available_cores() < 2:
        return one(), other()
    try:
        later = _helpers().submit(other)
    except (RuntimeError, MemoryError):  # No thread can be had, as where the interpreter ends.
        return one(), other()
    try:
        first = one()
    except BaseException:
        wait((later,))
        raise
    return first, later.result()


@cache
def _helpers() -> SurePool:
    return SurePool(available_cores(), thread_name_prefix="memspan-helper")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)  # The child has none of the threads.
