"""One event loop on a thread of its own, for connections that many threads and loops share."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any, Final, TypeVar

from memspan.base import sure_start
from memspan.base.worker_threads import WorkerThreads

__all__ = ["background_loop", "leave_in_background", "run_in_background", "start_in_background"]

T = TypeVar("T")
_ENDING: Final = 5.0
"""Seconds that work which is interrupted has to end in."""


class _Thread:
    """The loop, started when it is first needed; a forked child, where no thread lives on, starts its own."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.lock = threading.RLock()  # a finalizer may want the loop while it is being started
        self.loop: asyncio.AbstractEventLoop | None = None

    def started(self) -> asyncio.AbstractEventLoop:
        with self.lock:
            if self.loop is None:
                loop = asyncio.new_event_loop()
                try:
                    loop.set_default_executor(WorkerThreads())
                    sure_start.start(
                        threading.Thread(target=loop.run_forever, name="memspan-llm", daemon=True)
                    )
                    self.loop = loop
                except BaseException:
                    # No thread is to be had, and who comes later would wait for a loop that nobody runs; or an
                    # interrupt came, and one may run.
                    self.loop = None
                    loop.call_soon_threadsafe(loop.stop)
                    with suppress(RuntimeError):
                        loop.close()
                    raise
            return self.loop


_THREAD: Final = _Thread()
_LEFT: Final[list[asyncio.AbstractEventLoop]] = []
"""Loops of a parent process: kept, so that nothing of theirs is closed twice."""


def _forget() -> None:
    if _THREAD.loop is not None:
        _LEFT.append(_THREAD.loop)
    _THREAD.reset()


os.register_at_fork(after_in_child=_forget)


def background_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process; another one after a fork. Thread-safe."""
    return _THREAD.started()


def start_in_background(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Start `work` on the loop; cancelling the future cancels the work.

    Raises:
        RuntimeError, MemoryError: a thread for the loop cannot be had; the work never begins.
    """
    return asyncio.run_coroutine_threadsafe(work, _loop_for(work))


def _loop_for(work: Coroutine[Any, Any, T]) -> asyncio.AbstractEventLoop:
    try:
        return background_loop()
    except BaseException:
        work.close()
        raise


def run_in_background(work: Coroutine[Any, Any, T]) -> T:
    """Wait for `work` on the loop; not from that loop itself. An interrupt of the waiting thread cancels it, and waits
    for a moment until it has ended, such as with noting what it cost."""
    loop, ended = _loop_for(work), threading.Event()

    async def told() -> T:
        try:
            return await work
        finally:
            ended.set()

    future = asyncio.run_coroutine_threadsafe(told(), loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        ended.wait(_ENDING)
        raise


def leave_in_background(pieces: AsyncGenerator[Any, None]) -> None:
    """End a generator of the loop, and wait a moment for that.

    A finalizer may call this anywhere: in a thread that has what the end waits for; in the loop's own thread, which
    cannot wait, and where asyncio ends what nobody has any more; or where the interpreter ends, and no thread runs.
    """
    if sys.is_finalizing() or _runs_here(background_loop()):
        return

    async def ended() -> None:
        await pieces.aclose()

    wait([start_in_background(ended())], _ENDING)


def _runs_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
