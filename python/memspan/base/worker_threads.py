"""Work that blocks, on threads, until the interpreter ends."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, Final, Generic, ParamSpec, TypeVar, cast

from . import sure_start
from .sure_pool import SurePool

__all__ = ["InterpreterEndsError", "WorkerThreads", "beside", "in_worker", "pause"]

P = ParamSpec("P")
T = TypeVar("T")
_LOOK: Final = 1.0
"""Seconds between looks at whether the program ends."""


class InterpreterEndsError(RuntimeError):
    """The program ends while jobs are processed in the background: threads cannot be had any more, and no job is to
    blame."""


class WorkerThreads(SurePool):
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

    Where memory is used up, an executor's thread may die with what it has just taken, or be unable to say that it is
    done. So this looks itself from time to time, and puts on again what nobody has begun.

    Raises:
        InterpreterEndsError: threads are not started any more.
    """
    work = _Work(functools.partial(function, *arguments))
    try:
        future = _on_executor(work, executor)
    except BaseException:
        work.begin()  # it may wait there all the same
        raise
    future.add_done_callback(work.tell)
    work.look_later(executor, _LOOK)
    try:
        await work.told
        while not work.ended:  # it was put on again, and that one began it
            await asyncio.wait(work.again, timeout=_LOOK)
    except asyncio.CancelledError:
        work.begin()  # nobody else is to
        future.cancel()
        raise
    finally:
        work.timer.cancel()
    return work.result()


def _on_executor(work: _Work[Any], executor: Executor | None) -> asyncio.Future[None]:
    try:
        return asyncio.get_running_loop().run_in_executor(executor, work)
    except RuntimeError as error:
        if "shutdown" not in str(error):
            raise
        if not _goes_on():
            raise InterpreterEndsError("the interpreter ends") from error
        return asyncio.wrap_future(_on_own_thread(work))


class _Work(Generic[T]):
    """A call that is made once, however often it is put on an executor. Belongs to the event loop in which it is."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._claim = threading.Lock()
        self._value: T | None = None
        self._error: BaseException | None = None
        self.ended = False
        self.told: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """When the executor says so, or a look finds it: both may be at the same time, and the executor's own future
        takes only one of them."""
        self.again: list[asyncio.Future[None]] = []
        """Where it was put on again."""
        self.timer: asyncio.TimerHandle

    @property
    def begun(self) -> bool:
        return self._claim.locked()

    def begin(self) -> bool:
        """Whether nobody had begun."""
        return self._claim.acquire(blocking=False)

    def __call__(self) -> None:
        if not self.begin():
            return
        try:
            self._value = self._function()
        except BaseException as error:
            self._error = error
        finally:
            self.ended = True

    def tell(self, future: asyncio.Future[None]) -> None:
        """The executor's future is done."""
        error = None if future.cancelled() else future.exception()
        if self.told.done():
            return
        if future.cancelled():
            self.told.cancel()
        elif error is not None:
            self.told.set_exception(error)
        else:
            self.told.set_result(None)

    def look_later(self, executor: Executor | None, seconds: float) -> None:
        """See in some seconds whether it has ended without a word, or nobody has begun."""
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(seconds, self._look, executor, seconds)

    def _look(self, executor: Executor | None, seconds: float) -> None:
        if self.told.done():
            return
        if self.ended:
            self.told.set_result(None)
            return
        if not self.begun:
            seconds *= 2
            try:
                self.again.append(_on_executor(self, executor))
            except RuntimeError as error:
                self.told.set_exception(error)
                return
        self.look_later(executor, seconds if not self.begun else _LOOK)

    def result(self) -> T:
        """What the call returned or raised. Once."""
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # its traceback has this frame
        return cast("T", self._value)


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
        with SurePool(1) as probe:
            probe.submit(int)
    except RuntimeError as error:
        return "shutdown" in str(error)  # else there are too many threads
    except MemoryError:
        pass
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
        sure_start.start(threading.Thread(target=run, name="memspan-worker", daemon=True))
    except RuntimeError as error:
        raise InterpreterEndsError("the interpreter ends") from error
    return future
