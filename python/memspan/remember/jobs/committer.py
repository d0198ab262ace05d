"""Commit what many jobs have to say in few transactions."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from time import monotonic
from typing import Any, Final, Generic, TypeVar

from memspan.base import sure_start
from memspan.base.weak_sets import all_of
from memspan.errors import MemspanError
from memspan.store import Store, StoreWriter

__all__ = ["Committer", "JobLostError", "in_store", "outcomes", "wait_for_committers"]

T = TypeVar("T")
W = TypeVar("W")
_MOST: Final = 512
"""Operations of one transaction; other writers wait for it."""
_LOOK: Final = 1.0
"""Seconds between looks at whether the thread is still there."""
_ending: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
"""Threads of committers that were closed."""


class JobLostError(MemspanError):
    """The job is not this run's any more: it was forgotten, began anew, or another worker has it."""


def outcomes(operations: Sequence[Callable[[W], Any]], writer: W) -> list[Any]:
    """What each operation returns, or the `JobLostError` that it raises."""
    return [_outcome(operation, writer) for operation in operations]


def _outcome(operation: Callable[[W], Any], writer: W) -> Any:
    try:
        return operation(writer)
    except JobLostError as error:
        return error


def in_store(store: Store) -> Callable[[Sequence[Callable[[StoreWriter], Any]]], list[Any]]:
    """Transactions of operations that write nothing of the index's."""

    def run(operations: Sequence[Callable[[StoreWriter], Any]]) -> list[Any]:
        with store.writing() as writer:
            return outcomes(operations, writer)

    return run


@dataclass(frozen=True, slots=True, eq=False)
class _Entry(Generic[W]):
    operation: Callable[[W], Any]
    future: asyncio.Future[Any]
    weight: int
    source: object
    results: list[Any] = field(default_factory=list)
    """What came of it, as soon as that is known."""


class Committer(Generic[W]):
    """A thread that runs operations, those that came while it was busy in one transaction: one wait for the disk,
    however many jobs there are.

    An operation may raise `JobLostError` before it wrote anything, and may be run twice: when another error occurs,
    each is run again in a transaction of its own. Belongs to one event loop.

    Args:
        transaction: runs operations, gives what `outcomes` says of them, and commits; or raises, and then nothing of
            them happened.
        name: of the thread.
        most: weight of one transaction.
    """

    def __init__(
        self,
        transaction: Callable[[Sequence[Callable[[W], Any]]], list[Any]],
        name: str = "memspan-jobs-commit",
        most: int = _MOST,
    ) -> None:
        self._transaction = transaction
        self._most = most
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Entry[W] | None] = SimpleQueue()
        self._waiting: set[_Entry[W]] = set()
        self._looking = False
        self._alone: set[object] = set()
        """Sources whose last operation failed: the next ones are not to fail others, whose work is then done twice."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        try:
            sure_start.start(self._thread)
        except BaseException:
            self._queue.put(None)  # it may begin late
            raise

    async def commit(self, operation: Callable[[W], T], *, weight: int = 1, source: object = None) -> T:
        """What the operation returns, when it is on disk. It happens also when nobody waits for it any more.

        Args:
            weight: how long it takes, beside others.
            source: whose it is. After one that failed, operations of the same source run by themselves until one does
                not fail.

        Raises:
            JobLostError: by the operation.
            StoreError: the database failed; nothing of the operation happened.
        """
        future: asyncio.Future[T] = self._loop.create_future()
        entry = _Entry(operation, future, weight, source)
        self._queue.put(entry)
        if not self._looking:
            self._loop.call_later(_LOOK, self._look)
            self._looking = True
        self._waiting.add(entry)
        try:
            return await future
        finally:
            self._waiting.discard(entry)

    def _look(self) -> None:
        """Whoever tells may have no memory to do it."""
        alive = self._thread.is_alive()
        for entry in self._waiting:
            if entry.results:
                _settle((entry,))
            elif not alive and not entry.future.done():
                lost = "the thread that writes to the store ended: there was no memory for it"
                entry.future.set_exception(MemoryError(lost))
        self._looking = bool(self._waiting)
        if self._looking:
            self._loop.call_later(_LOOK, self._look)

    def close(self) -> None:
        """End the thread when all that came before is done. Does not wait."""
        _ending.add(self._thread)
        self._queue.put(None)

    def _run(self) -> None:
        while True:
            batch, closed = self._batch()
            if batch:
                for entry, result in zip(batch, self._together(batch), strict=True):
                    entry.results.append(result)
                try:
                    self._loop.call_soon_threadsafe(_settle, batch)
                except RuntimeError:
                    return  # The loop is closed: nobody waits any more.
            if closed:
                return

    def _batch(self) -> tuple[list[_Entry[W]], bool]:
        """What is there, as far as it fits in one transaction; at least one, which may have to be waited for."""
        batch: list[_Entry[W]] = []
        weight = 0
        # The only reader: what the queue says that it has is there.
        while not batch or (weight < self._most and not self._queue.empty()):
            entry = self._queue.get()
            if entry is None:
                return batch, True
            weight += entry.weight
            batch.append(entry)
        return batch, False

    def _together(self, batch: list[_Entry[W]]) -> list[Any]:
        if not any(entry.source in self._alone for entry in batch if entry.source is not None):
            try:
                return self._transaction([entry.operation for entry in batch])
            except Exception as error:
                if len(batch) == 1:
                    self._alone.update(entry.source for entry in batch if entry.source is not None)
                    return [error]
        return [self._by_itself(entry) for entry in batch]

    def _by_itself(self, entry: _Entry[W]) -> Any:
        try:
            (result,) = self._transaction([entry.operation])
        except Exception as error:
            if entry.source is not None:
                self._alone.add(entry.source)
            return error
        self._alone.discard(entry.source)
        return result


def _settle(batch: Sequence[_Entry[Any]]) -> None:
    for entry in batch:
        if entry.future.done():
            continue  # Nobody waits for it.
        (result,) = entry.results
        if isinstance(result, Exception):
            entry.future.set_exception(result)
        else:
            entry.future.set_result(result)


def wait_for_committers(seconds: float) -> None:
    """Wait until the threads of closed committers have ended, but no longer."""
    until = monotonic() + seconds
    for thread in all_of(_ending):
        thread.join(max(0.0, until - monotonic()))
