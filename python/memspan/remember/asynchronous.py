"""Asynchronous forms of calls that wait for the disk, the index or a model."""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from memspan.base.worker_threads import beside

__all__ = ["in_thread"]

P = ParamSpec("P")
R = TypeVar("R")


def in_thread(call: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """The same call, run in a worker thread.

    Cancelling the task stops waiting: a call that has begun runs to its end, one that no thread was free for does not
    begin.
    """

    @functools.wraps(call)
    async def waiting(*args: P.args, **kwargs: P.kwargs) -> R:
        return await beside(call, *args, **kwargs)

    waiting.__name__ = f"a{call.__name__}"
    waiting.__qualname__ = call.__qualname__.removesuffix(call.__name__) + waiting.__name__
    waiting.__doc__ = f"Asynchronous form of `{call.__name__}`: the same call in a worker thread."
    return waiting
