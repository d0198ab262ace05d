"""An event loop on a thread of its own, for everything that waits for a model."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future, wait
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

from memspan.base import sure_start
from memspan.base.worker_threads import WorkerThreads

__all__ = ["Call", "LoopThread"]

T = TypeVar("T")
_LOOK: Final = 1.0
"""Seconds between looks at whether the thread is still there."""
_TRIES: Final = 5
"""To end properly where memory is used up."""
_PAUSE: Final = 0.1
"""Seconds between them."""
_ENDING: Final = 5.0
"""Seconds for what still runs in a loop that broke."""
_NO_MEMORY: Final = "memory was used up in the middle of processing"


class LoopThread:
    """One loop for the life of a memory: a model's client keeps connections that belong to its loop, and a caller may
    have a loop of its own, or none. Thread-safe."""

    def __init__(self) -> None:
        self.broken = False
        """Memory was used up in the middle: what it was about to do may be lost, so that everything on it ends."""
        self._calls: set[Call[Any]] = set()
        """Those that run; used by the thread alone."""
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(WorkerThreads())
        self._loop.set_exception_handler(self._look_at)
        self._thread = threading.Thread(target=self._run, name="memspan-jobs", daemon=True)
        try:
            sure_start.start(self._thread)
        except BaseException:
            self.end()  # an interrupt may have come while it runs
            with suppress(RuntimeError):
                self._loop.close()
            raise

    @property
    def alive(self) -> bool:
        """Whether its thread is there."""
        return self._thread.is_alive()

    def call(self, work: Coroutine[Any, Any, T]) -> Call[T]:
        """A call of a coroutine, which `Call.begin` begins."""
        return Call(self, self._loop, work, self._calls)

    def end(self) -> None:
        """Let the thread end; what still runs is cancelled. Does not wait."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._loop.stop)

    def close(self) -> None:
        """The same, and wait for it."""
        self.end()
        self._thread.join()

    def _run(self) -> None:
        if self._loop.is_closed():  # it begins late
            return
        try:
            asyncio.set_event_loop(self._loop)
            self._loop.run_forever()
        except MemoryError:
            self.broken = True
        tries = 1
        while not self._ended() and tries < _TRIES:
            tries += 1
            time.sleep(_PAUSE)

    def _ended(self) -> bool:
        try:
            asyncio.events._set_running_loop(None)  # a loop that ended in the middle may be in its own way
            self._end_all()
        except (MemoryError, RuntimeError):
            self.broken = True
            return False
        return True

    def _end_all(self) -> None:
        if not self.broken:
            self._end_calls()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            ended = asyncio.gather(*tasks, return_exceptions=True)
            # What wakes a task may be lost in a broken loop.
            self._loop.run_until_complete(asyncio.wait((ended,), timeout=_ENDING if self.broken else None))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def _end_calls(self) -> None:
        """First, so that what they do to end properly is not cancelled as well."""
        calls = list(self._calls)
        for call in calls:
            call._cancel()
        ending = [call._task for call in calls if call._task is not None]
        if ending:
            self._loop.run_until_complete(asyncio.wait(ending))

    def _look_at(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """A callback that had no memory may have been what something waits for."""
        if "handle" in context and isinstance(context.get("exception"), MemoryError):
            self.broken = True
            loop.stop()
        loop.default_exception_handler(context)


class Call(Generic[T]):
    """A coroutine that runs on a `LoopThread`. Unlike a future's, its `cancel` can be waited for.

    An interrupt may come at any point: who has the call before it begins can end it, wherever that was.
    """

    def __init__(
        self,
        thread: LoopThread,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, T],
        running: set[Call[Any]],
    ) -> None:
        self.future: Future[T] = Future()
        """Ends when the coroutine did, with `CancelledError` when it was cancelled; has no use for its own `cancel`."""
        self.future.set_running_or_notify_cancel()
        self._thread = thread
        self._loop = loop
        self._task: asyncio.Task[T] | None = None
        self._cancelled = False
        self._work = work
        self._running = running

    def begin(self) -> None:
        """Let it run; nothing changes when it does already."""
        self._loop.call_soon_threadsafe(self._begin)

    @property
    def lost(self) -> bool:
        """Whether nobody is left to end it."""
        return not self._thread.alive and not self.future.done()

    def result(self) -> T:
        """What the coroutine returns or raises, when it has ended.

        Raises:
            MemoryError: memory was used up while it ran.
        """
        while not wait((self.future,), _LOOK).done:
            if self.lost:
                raise MemoryError(_NO_MEMORY)
        return self.future.result()

    def drop(self) -> None:
        """End one that has not begun and never will."""
        self._work.close()
        self.future.set_exception(CancelledError())

    def cancel(self) -> None:
        """Ask the coroutine to end; `future` tells when it has."""
        with suppress(RuntimeError):  # the loop is closed: it has ended
            self._loop.call_soon_threadsafe(self._cancel)

    def _begin(self) -> None:
        if self._task is None and not self._cancelled:
            self._task = self._loop.create_task(self._work)
            self._running.add(self)
            self._task.add_done_callback(self._end)

    def _cancel(self) -> None:
        # Once: what the coroutine does to end properly must not be cancelled as well.
        if self._cancelled:
            return
        self._cancelled = True
        if self._task is None:
            self.drop()
        else:
            self._task.cancel()

    def _end(self, task: asyncio.Task[T]) -> None:
        self._running.discard(self)
        if task.cancelled():
            self.future.set_exception(MemoryError(_NO_MEMORY) if self._thread.broken else CancelledError())
        elif (error := task.exception()) is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(task.result())
