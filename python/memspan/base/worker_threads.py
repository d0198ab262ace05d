"""Work that blocks, on threads, until the interpreter ends."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, Final, ParamSpec, TypeVar

__all__ = ["InterpreterEndsError", "WorkerThreads", "beside", "in_worker", "pause"]

P = ParamSpec("P")
T = TypeVar("T")
_LOOK: Final = 1.0
"""Seconds between looks at whether the program ends."""


class InterpreterEndsError(RuntimeError):
    """The program ends while jobs are processed in the background: threads cannot be had any more, and no job is to
    blame."""


class WorkerThreads(ThreadPoolExecutor):
    """For loops of ours, where others put work on the executor, too, such as looking up the address of a server. Other
    executors take nothing more when the main thread has ended; here it gets a thread of its own then, while others of
    the program go on."""

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="memspan-worker")

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """See `Executor.submit`."""
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError:
            if not _goes_on():
                raise
            return _on_own_thread(functools.partial(fn, *args, **kwargs))


async def in_worker(function: Callable[..., T], *arguments: Any, executor: Executor | None = None) -> T:
    """Run a function on a thread of the executor, by default the loop's, or as `WorkerThreads` does.

    Raises:
        InterpreterEndsError: threads are not started any more.
    """
    try:
        future = asyncio.get_running_loop().run_in_executor(executor, function, *arguments)
    except RuntimeError as error:
        if "shutdown" not in str(error):
            raise
        if not _goes_on():
            raise InterpreterEndsError("the interpreter ends") from error
        future = asyncio.wrap_future(_on_own_thread(lambda: function(*arguments)))
    return await future


async def beside(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same with the caller's context variables, such as who acts: `asyncio.to_thread`, but for its end."""
    context = contextvars.copy_context()
    return await in_worker(functools.partial(context.run, function, *args, **kwargs))


def pause(seconds: float) -> None:
    """`time.sleep`, but not beyond the end of the program, which waits for its threads.

    Raises:
        InterpreterEndsError: it ends.
    """
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, _LOOK))
        if left > _LOOK and _ends():
            raise InterpreterEndsError("the interpreter ends")


def _ends() -> bool:
    """Whether the main thread has ended, and nothing else of the program is left but threads that it waits for. Only
    executors tell before these have ended."""
    main, own = threading.main_thread(), threading.current_thread()
    if own is main or any(each not in (main, own) and not each.daemon for each in threading.enumerate()):
        return False
    try:
        with ThreadPoolExecutor(1) as probe:
            probe.submit(int)
    except RuntimeError:
        return True
    return False


def _goes_on() -> bool:
    """Whether the program does without its main thread."""
    main = threading.main_thread()
    others = (each for each in threading.enumerate() if each is not main)
    return not main.is_alive() and any(not each.daemon for each in others)


def _on_own_thread(function: Callable[[], T]) -> Future[T]:
    future: Future[T] = Future()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = function()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    try:
        threading.Thread(target=run, name="memspan-worker", daemon=True).start()
    except RuntimeError as error:
        raise InterpreterEndsError("the interpreter ends") from error
    return future
