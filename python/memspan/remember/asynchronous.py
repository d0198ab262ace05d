"""Asynchronous forms of calls that wait for the disk, the index or a model."""

from __future__ import annotations

import contextvars
import functools
import os
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from memspan.base.sure_pool import SurePool
from memspan.base.worker_threads import beside, in_worker

__all__ = ["in_thread", "in_writers_thread"]

P = ParamSpec("P")
R = TypeVar("R")


def _new_pool() -> SurePool:
    return SurePool(thread_name_prefix="memspan-call")


# Writers wait for one another, and for other processes: the loop's own threads, of which there are few, would all be
# theirs, and whoever only reads would wait as well.
_writers = _new_pool()


def _start_afresh() -> None:
    """A forked child has none of the threads."""
    global _writers
    _writers = _new_pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)


async def in_writers_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """As `beside`, on threads that nobody waits for who only reads."""
    context = contextvars.copy_context()
    return await in_worker(functools.partial(context.run, function, *args, **kwargs), executor=_writers)


def in_thread(call: Callable[P, R], *, reads: bool = False) -> Callable[P, Coroutine[Any, Any, R]]:
    """The same call, run in a worker thread.

    Cancelling the task stops waiting: a call that has begun runs to its end, one that no thread was free for does not
    begin.

    Args:
        reads: whether it waits for no writer, nor takes long. Others have threads of their own.
    """
    run = beside if reads else in_writers_thread

    @functools.wraps(call)
    async def waiting(*args: P.args, **kwargs: P.kwargs) -> R:
        return await run(call, *args, **kwargs)

    waiting.__name__ = f"a{call.__name__}"
    waiting.__qualname__ = call.__qualname__.removesuffix(call.__name__) + waiting.__name__
    waiting.__doc__ = f"Asynchronous form of `{call.__name__}`: the same call in a worker thread."
    return waiting
