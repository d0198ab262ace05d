"""An event loop on a thread of its own, for everything that waits for a model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, Generic, TypeVar

from memspan.base.worker_threads import WorkerThreads

__all__ = ["Call", "LoopThread"]

T = TypeVar("T")


class LoopThread:
    """One loop for the life of a memory: a model's client keeps connections that belong to its loop, and a caller may
    have a loop of its own, or none. Thread-safe."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(WorkerThreads())
        self._thread = threading.Thread(target=self._run, name="memspan-jobs", daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, T]) -> Call[T]:
        """Begin to run a coroutine."""
        return Call(self._loop, work)

    def end(self) -> None:
        """Let the thread end; what still runs is cancelled. Does not wait."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._loop.stop)

    def close(self) -> None:
        """The same, and wait for it."""
        self.end()
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


class Call(Generic[T]):
    """A coroutine that runs on a `LoopThread`. Unlike a future's, its `cancel` can be waited for."""

    def __init__(self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> None:
        self.future: Future[T] = Future()
        """Ends when the coroutine did, with `CancelledError` when it was cancelled; has no use for its own `cancel`."""
        self.future.set_running_or_notify_cancel()
        self._loop = loop
        self._task: asyncio.Task[T] | None = None
        self._cancelled = False
        self._work = work
        loop.call_soon_threadsafe(self._begin)

    def cancel(self) -> None:
        """Ask the coroutine to end; `future` tells when it has."""
        with suppress(RuntimeError):  # the loop is closed: it has ended
            self._loop.call_soon_threadsafe(self._cancel)

    def _begin(self) -> None:
        self._task = self._loop.create_task(self._work)
        self._task.add_done_callback(self._end)

    def _cancel(self) -> None:
        # Once: what the coroutine does to end properly must not be cancelled as well.
        if self._task is not None and not self._cancelled:
            self._cancelled = True
            self._task.cancel()

    def _end(self, task: asyncio.Task[T]) -> None:
        if task.cancelled():
            self.future.set_exception(CancelledError())
        elif (error := task.exception()) is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(task.result())
