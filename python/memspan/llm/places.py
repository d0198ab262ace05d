"""`Places`: how many requests are with a server at once, found by trial."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

__all__ = ["FIRST", "MOST", "Places"]

FIRST: Final = 8
"""Requests at once to begin with: what a server at home bears."""
MOST: Final = 64
"""As many as encode jobs ask at once by default."""
_GROWTH: Final = 1.5
_WORTH: Final = 1.15
"""More requests at once have to bring so much more replies a second to be kept."""
_REPLIES: Final = 16
"""Of a measurement, at least; their lengths differ."""
_REST: Final = 8
"""Measurements before more is tried again where it was not worth it."""


class Places:
    """Lets so many in at a time, in the order in which they came. Belongs to one event loop.

    With `adapts` the number is found by hill climbing: while requests wait, the replies a second are measured over at
    least two rounds; half as many requests more are tried, and kept if the rate grows by 15 %, else taken back. What
    a server refuses because it has too much to do (429, 503, no answer in time) halves the number, once for all that
    were under way. A server with eight places thus gets some twelve requests for a moment every now and then, and one
    that serves 64 gets them after some seven rounds.

    Args:
        most: places.
        adapts: begin with `FIRST` of them.
        clock: monotonic seconds.
    """

    def __init__(self, most: int, *, adapts: bool, clock: Callable[[], float]) -> None:
        self._most = most
        self._adapts = adapts
        self._clock = clock
        self.level = min(FIRST, most) if adapts else most
        """Places as far as is known."""
        self._taken = 0
        self._waiting: deque[asyncio.Future[int]] = deque()
        self._trial = 0  # of which number a request was let in
        self._older = 0  # under way from before that
        self._before: tuple[int, float] | None = None  # level and rate, while more is tried
        self._rest = 0
        self._began = 0.0
        self._replies = 0

    async def take(self) -> int:
        """Wait for a place; returns what `leave` is to be told."""
        if self._taken < self.level and not self._waiting:
            self._taken += 1
            self._restart()  # nobody waits: the rate says nothing of the server
            return self._trial
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.leave(future.result(), replied=False)  # it was let in at that very moment
            raise

    def leave(self, trial: int, *, replied: bool, overloaded: bool = False) -> None:
        """Give a place back.

        Args:
            trial: what `take` returned.
            replied: the server answered.
            overloaded: it said, or showed, that it has too much to do.
        """
        self._taken -= 1
        if trial != self._trial:
            self._older -= 1
            if not self._older:
                self._restart()  # from now on all that are under way belong to the number that is tried
        elif self._adapts:
            if overloaded:
                self._change(max(1, self.level // 2))
                self._before, self._rest = None, _REST
            elif replied and self._waiting and not self._older:
                self._replies += 1
                if self._replies >= max(2 * self.level, _REPLIES):
                    self._judge(self._replies / max(self._clock() - self._began, 1e-9))
        self._let_in()

    def _judge(self, rate: float) -> None:
        """What to do after a measurement."""
        before, self._before = self._before, None
        if before is not None and rate < before[1] * _WORTH:
            self._rest = _REST
            self._change(before[0])
        elif self._rest:
            self._rest -= 1
            self._restart()
        elif self.level < self._most:
            self._before = self.level, rate
            self._change(min(self._most, max(self.level + 1, int(self.level * _GROWTH))))
        else:
            self._restart()

    def _change(self, level: int) -> None:
        """Another number; what was let in before says nothing of it."""
        self.level = level
        self._trial += 1
        self._older = self._taken
        self._restart()

    def _restart(self) -> None:
        self._began, self._replies = self._clock(), 0

    def _let_in(self) -> None:
        while self._taken < self.level and self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                self._taken += 1
                future.set_result(self._trial)
