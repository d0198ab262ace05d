"""Commit what many jobs have to say in few transactions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final, NamedTuple, TypeVar

from memspan.errors import MemspanError
from memspan.store import Store, StoreWriter

__all__ = ["Committer", "JobLostError"]

T = TypeVar("T")
_MOST: Final = 512
"""Operations of one transaction; other writers wait for it."""


class JobLostError(MemspanError):
    """The job is not this run's any more: it was forgotten, began anew, or another worker has it."""


class _Entry(NamedTuple):
    operation: Callable[[StoreWriter], Any]
    future: asyncio.Future[Any]


class Committer:
    """A thread that runs operations on the store, all that came while it was busy in one transaction: one wait for the
    disk, however many jobs there are.

    An operation writes nothing of the index's, may raise `JobLostError` before it wrote anything, and may be run
    twice: when another error occurs, each is run again in a transaction of its own. Belongs to one event loop.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Entry | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="memspan-jobs-commit", daemon=True)
        self._thread.start()

    async def commit(self, operation: Callable[[StoreWriter], T]) -> T:
        """What the operation returns, when it is on disk.

        Raises:
            JobLostError: by the operation.
            StoreError: the database failed; nothing of the operation happened.
        """
        future: asyncio.Future[T] = self._loop.create_future()
        self._queue.put(_Entry(operation, future))
        return await future

    def close(self) -> None:
        """End the thread when all that came before is done. Does not wait."""
        self._queue.put(None)

    def _run(self) -> None:
        while True:
            # The only reader: what the queue says that it has is there.
            entries = [self._queue.get()]
            entries += [self._queue.get() for _ in range(min(self._queue.qsize(), _MOST))]
            batch = [entry for entry in entries if entry is not None]
            if batch:
                outcomes = self._together(batch)
                try:
                    self._loop.call_soon_threadsafe(_settle, batch, outcomes)
                except RuntimeError:
                    return  # The loop is closed: nobody waits any more.
            if len(batch) < len(entries):
                return

    def _together(self, batch: list[_Entry]) -> list[Any]:
        try:
            with self._store.writing() as writer:
                return [_outcome(entry, writer) for entry in batch]
        except Exception as error:
            if len(batch) == 1:
                return [error]
        return [self._together([entry])[0] for entry in batch]


def _outcome(entry: _Entry, writer: StoreWriter) -> Any:
    try:
        return entry.operation(writer)
    except JobLostError as error:
        return error


def _settle(batch: list[_Entry], outcomes: list[Any]) -> None:
    for entry, outcome in zip(batch, outcomes, strict=True):
        if entry.future.done():
            continue  # Nobody waits for it.
        if isinstance(outcome, Exception):
            entry.future.set_exception(outcome)
        else:
            entry.future.set_result(outcome)
