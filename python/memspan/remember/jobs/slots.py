"""How many questions the model has at once, and whose is the next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

__all__ = ["Slots"]


class Slots:
    """Slots that are handed out to jobs in turn: one that asks hundreds of questions side by side does not keep another
    one's from the model until it has them all. Questions of one job come in the order in which they were asked. Belongs
    to one event loop. O(1) for each question.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """By job, that whose turn is next first; none of them is empty."""

    @asynccontextmanager
    async def of(self, job: Hashable) -> AsyncIterator[None]:
        """One slot, while the model has a question of a job."""
        await self._take(job)
        try:
            yield
        finally:
            self._leave()

    async def _take(self, job: Hashable) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(job, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()  # it was its turn at that very moment
            raise

    def _leave(self) -> None:
        while self._waiting:
            job = next(iter(self._waiting))
            turns = self._waiting.pop(job)
            turn = turns.popleft()
            if turns:
                self._waiting[job] = turns  # behind the others
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
