"""The processing of one memory: calls that wait for it, and the worker in the background."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, wait
from contextlib import suppress
from typing import Any, Final, TypeVar

from memspan.base.weak_sets import all_of
from memspan.base.worker_threads import InterpreterEndsError
from memspan.errors import (
    EmbedderAccessError,
    EmbedderError,
    LLMError,
    MemspanError,
    ModelAccessError,
    StoreError,
)
from memspan.llm import LLM
from memspan.recipes import Recipe
from memspan.remember.engine import Engine
from memspan.reports.job_info import ProcessReport

from .committer import wait_for_committers
from .loop import Call, LoopThread
from .outage import Outage
from .pace import Pace
from .processor import Processor, Scope
from .resolving import Model

__all__ = ["Processing"]

T = TypeVar("T")
_logger = logging.getLogger("memspan")
_ENDING: Final = 5.0
"""Seconds for which the end of the interpreter waits."""
_LOOK: Final = 1.0
"""Seconds between looks at whether somebody is left who works on a call."""
_in_background: weakref.WeakSet[Processing] = weakref.WeakSet()


class Processing:
    """Runs processors on a thread that starts when it is first needed and ends with `close`.

    Thread-safe. After a fork the child has neither the thread nor the worker; it gets its own when it asks.

    Args:
        model: is made when it is first asked for.
    """

    def __init__(self, engine: Engine, recipe: Recipe, model: Model) -> None:
        self.recipe: Final = recipe
        self.pace = Pace()
        self._engine = engine
        self._model = model
        self._closed = False
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.RLock()
        # Making the model may take seconds; event loops wait for the other lock.
        self._making = threading.RLock()
        self._thread: LoopThread | None = None
        self._llm: LLM | None = None
        self._colleagues: set[str] = set()
        self._departed: set[str] = set()
        self._outage = Outage()
        self._processors: set[Processor] = set()
        self._follower: Call[ProcessReport] | None = None

    @property
    def has_model(self) -> bool:
        """Whether the memory was opened with a language model; it may still have to be made."""
        return self._model.given

    @property
    def model_is_made(self) -> bool:
        """Whether `llm` need not make it."""
        return self._llm is not None and self._pid == os.getpid()

    def run(self, scope: Scope, advance: Callable[[int], object]) -> ProcessReport:
        """Process and wait. An interrupt gives back what is under way before it goes on.

        Raises:
            StoreError: the memory is closed, or was meanwhile.
        """
        return self._waited(self._processing(scope, advance))

    async def arun(self, scope: Scope, advance: Callable[[int], object]) -> ProcessReport:
        """The same for a task; cancelling it ends the processing."""
        return await self._ended(self._processing(scope, advance))

    def ask(self, work: Callable[[LLM | None], Coroutine[Any, Any, T]]) -> T:
        """Run something else that needs the model, on the same thread, and wait for it; an interrupt cancels it."""
        return self._waited(self._call(self._with_model(work)))

    async def aask(self, work: Callable[[LLM | None], Coroutine[Any, Any, T]]) -> T:
        """The same for a task; cancelling it cancels the work."""
        return await self._ended(self._call(self._with_model(work)))

    def start(self, scope: Scope) -> None:
        """Process in the background from now on; nothing changes when it does already."""
        self._engine.require_open()
        with self._mine():
            call = self._follower
            if call is None or call.future.done():
                call = self._processing(scope, lambda count: None)
                call.future.add_done_callback(_report)
                _in_background.add(self)
                self._follower = call
            call.begin()  # also where an interrupt came before that

    def stop(self) -> None:
        """End the processing in the background, and return when it has; jobs under way are given back."""
        call = self.leave()
        if call is not None:
            _end(call)

    def leave(self) -> Call[ProcessReport] | None:
        """The same without waiting; returns what there is to wait for."""
        with self._mine():
            call = self._follower
            if call is not None:
                call.cancel()
            self._follower = None
        return call

    def llm(self) -> LLM | None:
        """The model of this memory, made when it is first asked for; `None` without one."""
        self._mine()
        with self._making:
            if self._llm is None:
                self._llm = self._model.make()
            return self._llm

    def forget_replies(self) -> None:
        """Empty the cache of replies, if the model keeps one: a reply may repeat what was forgotten."""
        # A model that was given by name keeps none.
        llm = self._llm if self._model.own else self._model.make()
        forget = getattr(llm, "forget_replies", None)
        if forget is not None:
            forget()

    def wake(self) -> None:
        """Tell workers that there are new jobs."""
        if self._pid == os.getpid():
            for processor in list(self._processors):
                processor.wake()

    def close(self) -> None:
        """End everything and the thread; whoever waits for some of it gets a `StoreError`."""
        self.stop()
        with self._mine():
            self._closed = True
            thread = self._thread
        if thread is not None:
            thread.close()
            self._clear()
            self._thread = None
        with self._making:
            llm, self._llm = self._llm, None
        if self._model.own and llm is not None and hasattr(llm, "close"):
            llm.close()

    def _mine(self) -> threading.RLock:
        """The lock, of this process."""
        if self._pid != os.getpid():
            self._start_afresh()
        return self._lock

    def _processing(self, scope: Scope, advance: Callable[[int], object]) -> Call[ProcessReport]:
        self._engine.require_open()
        return self._call(self._process(scope, advance))

    def _call(self, work: Coroutine[Any, Any, T]) -> Call[T]:
        try:
            with self._mine():
                return self._running().call(work)
        except BaseException:
            work.close()
            raise

    def _running(self) -> LoopThread:
        if self._closed:
            raise self._is_closed()
        if self._thread is None or self._thread.broken or not self._thread.alive:
            self._clear()
            self._thread = LoopThread()
            # A memory that nobody closed takes the thread along.
            weakref.finalize(self, self._thread.end).atexit = False
        return self._thread

    def _begin(self, call: Call[Any]) -> None:
        """Not when it is made: whoever waits for it can end it then, wherever an interrupt comes."""
        with self._mine():
            if self._closed:
                call.drop()
                raise self._is_closed()
            call.begin()

    def _clear(self) -> None:
        """End what a loop that broke could not."""
        for processor in list(self._processors):
            processor.abandon()
        self._processors.clear()
        self._departed |= self._colleagues
        self._colleagues.clear()

    def _waited(self, call: Call[T]) -> T:
        """What a call arrives at; it is ended when the thread that waits is interrupted."""
        try:
            self._begin(call)
            return self._result(call)
        except BaseException:
            _end(call)
            raise

    def _result(self, call: Call[T]) -> T:
        try:
            return call.result()
        except CancelledError:
            if self._closed:
                raise self._is_closed() from None
            raise

    async def _ended(self, call: Call[T]) -> T:
        """The same for a task, the cancelling of which ends it."""
        ended = _end_of(call)
        self._begin(call)
        try:
            await _until(ended, call)
        except asyncio.CancelledError:
            call.cancel()
            with suppress(asyncio.CancelledError):
                await _until(ended, call)
            raise
        return self._result(call)

    def _is_closed(self) -> StoreError:
        return StoreError(f"{self._engine.store.path}: the memory is closed")

    async def _with_model(self, work: Callable[[LLM | None], Coroutine[Any, Any, T]]) -> T:
        return await work(self.llm())

    async def _process(self, scope: Scope, advance: Callable[[int], object]) -> ProcessReport:
        while True:
            try:
                return await self._process_once(scope, advance)
            except (StoreError, LLMError, EmbedderError) as error:
                # A lock that another process held for long, a server that is gone, or an account without credit: who
                # follows outlives it.
                if not scope.follow or self._engine.closed:
                    raise
                pause = self._pause_after(error)
            await asyncio.sleep(pause)

    def _pause_after(self, error: MemspanError) -> float:
        if isinstance(error, StoreError):
            _logger.warning("processing goes on in a moment: %s", error)
            return self.pace.lease / 4
        whose = "embedder" if isinstance(error, EmbedderError) else "model"
        access = isinstance(error, (EmbedderAccessError, ModelAccessError))
        # Without the server's words: it may repeat what somebody said.
        _logger.warning(
            "the server of the %s %s; processing goes on in %g s",
            whose,
            "refuses the key or has no credit for it" if access else "does not answer",
            self.pace.lease,
        )
        return self.pace.lease

    async def _process_once(self, scope: Scope, advance: Callable[[int], object]) -> ProcessReport:
        async def run(llm: LLM | None) -> ProcessReport:
            return await self._run_processor(llm, scope, advance)

        return await self._with_model(run)

    async def _run_processor(
        self, llm: LLM | None, scope: Scope, advance: Callable[[int], object]
    ) -> ProcessReport:
        processor = Processor(
            self._engine,
            llm,
            self.recipe,
            self.pace,
            scope,
            colleagues=self._colleagues,
            departed=self._departed,
            outage=self._outage,
            advance=advance,
        )
        self._processors.add(processor)
        try:
            return await processor.run()
        finally:
            self._processors.discard(processor)


def _end_of(call: Call[Any]) -> asyncio.Event:
    """Set when a call is over. Not its result: of one that nobody looks at, as the loop ends, asyncio would say so."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def tell(future: object) -> None:
        with suppress(RuntimeError):  # nobody waits: the loop is closed
            loop.call_soon_threadsafe(ended.set)

    call.future.add_done_callback(tell)
    return ended


async def _until(ended: asyncio.Event, call: Call[Any]) -> None:
    waiting = asyncio.ensure_future(ended.wait())
    try:
        while not (await asyncio.wait((waiting,), timeout=_LOOK))[0] and not call.lost:
            pass
    finally:
        waiting.cancel()


def _end(call: Call[Any]) -> None:
    """Cancel and wait. What it says at its end is of no use any more."""
    call.cancel()
    with suppress(CancelledError, Exception):
        call.result()


def _report(future: Any) -> None:
    """Say why the worker in the background ended by itself."""
    error = future.exception()
    if error is not None and not isinstance(error, (CancelledError, InterpreterEndsError)):
        _logger.error("processing in the background ended: %s", error)


@atexit.register
def _stop_all() -> None:
    """Threads that are in the middle of native code when the interpreter ends would end the process by a signal."""
    calls = [call for each in all_of(_in_background) if (call := each.leave()) is not None]
    wait([call.future for call in calls], _ENDING)
    wait_for_committers(_ENDING)
