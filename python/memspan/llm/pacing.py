"""How many requests are under way at once, and how many tokens a minute they may take."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from memspan.embed.retry import TransientError

from .places import MOST, Places

__all__ = ["Pace", "Slot"]

_WINDOW: Final = 60.0


class Slot:
    """One request's share of the tokens of a minute."""

    def __init__(self, at: float, tokens: int) -> None:
        self.at = at
        self.tokens = tokens


class Pace:
    """Lets requests through in the order in which they came. Belongs to one event loop.

    A request counts with an estimate of its tokens from the moment it is let through, with the number that the server
    said once that is known; never more than the limit are let through in any 60 seconds, except for one request
    that is larger than the limit by itself.

    Args:
        concurrency: most requests at once; `None`: found by trial, see `Places`.
        tokens_per_minute: `None` for no limit.
        clock: monotonic seconds.
        sleep: waits the given seconds.
    """

    def __init__(
        self,
        *,
        concurrency: int | None,
        tokens_per_minute: int | None,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._places = Places(
            MOST if concurrency is None else concurrency, adapts=concurrency is None, clock=clock
        )
        self._gate = asyncio.Lock()
        self._limit = tokens_per_minute
        self._clock = clock
        self._sleep = sleep
        self._recent: deque[Slot] = deque()
        self._resume = float("-inf")

    def pause(self, seconds: float) -> None:
        """Let nothing through for so long: the server asked for it."""
        self._resume = max(self._resume, self._clock() + seconds)

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[Slot]:
        """Wait until a request of about so many tokens may be sent; set `Slot.tokens` when the number is known."""
        trial = await self._places.take()
        replied = overloaded = False
        try:
            async with self._gate:  # the one that came first waits, the others behind it
                while (wait := self._wait(tokens)) > 0:
                    await self._sleep(wait)
                slot = Slot(self._clock(), tokens)
                if self._limit is not None:
                    self._recent.append(slot)
            yield slot
            replied = True
        except TransientError as error:
            overloaded = error.overloaded
            raise
        finally:
            self._places.leave(trial, replied=replied, overloaded=overloaded)

    def _wait(self, tokens: int) -> float:
        """Seconds until so many tokens may go. O(requests of the last minute)."""
        now = self._clock()
        wait = self._resume - now
        while self._recent and self._recent[0].at + _WINDOW <= now:
            self._recent.popleft()
        if self._limit is None:
            return wait
        over = sum(slot.tokens for slot in self._recent) + tokens - self._limit
        for slot in self._recent:  # oldest first: how many must be over a minute old?
            if over <= 0:
                break
            over -= slot.tokens
            wait = max(wait, slot.at + _WINDOW - now)
        return wait
