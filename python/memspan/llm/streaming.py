"""`TextStream`: an answer that comes in pieces, for any thread or event loop."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any

from .background import run_in_background, start_in_background
from .usage import Usage

__all__ = ["Finished", "TextStream"]


class Finished:
    """What is known when the text is complete, or the error that ended it."""

    def __init__(
        self,
        *,
        model: str = "",
        finish: str = "",
        usage: Usage | None = None,
        error: BaseException | None = None,
    ) -> None:
        self.model = model
        self.finish = finish
        self.usage = usage or Usage()
        self.error = error


class TextStream:
    """Pieces of one answer, by `async for` or `for`, once. Pieces that came meanwhile are handed out joined.

    Leaving the loop early, or `aclose`, ends the request.

    Attributes:
        model: as the server names it; known at the end, like those below.
        usage: what the call cost.
        truncated: the answer was cut off because it grew too long.
    """

    def __init__(self, pieces: Callable[[], AsyncGenerator[str | Finished, None]], model: str) -> None:
        self.model = model
        self.usage = Usage()
        self.truncated = False
        self._pieces = pieces
        self._channel: _Channel | None = None
        self._over = False

    def __repr__(self) -> str:
        return f"TextStream(model={self.model!r})"

    async def __aiter__(self) -> AsyncIterator[str]:
        try:
            while (piece := await asyncio.wrap_future(start_in_background(self._next()))) is not None:
                yield piece
        finally:
            await self.aclose()

    def __iter__(self) -> Iterator[str]:
        try:
            while (piece := run_in_background(self._next())) is not None:
                yield piece
        finally:
            self.close()

    async def aclose(self) -> None:
        """End the request if it is still under way."""
        self.close()

    def close(self) -> None:
        """The same; does not wait."""
        self._over = True
        if self._channel is not None:
            self._channel.stop()

    async def _next(self) -> str | None:
        if self._over:
            return None
        if self._channel is None:
            self._channel = _Channel()
            self._channel.start(self._pieces())
            # A stream that nobody holds any more ends its request; the pump holds the channel only.
            weakref.finalize(self, self._channel.stop).atexit = False
        item = await self._channel.take()
        if isinstance(item, str):
            return item
        self._over = True
        if item.error is not None:
            raise item.error
        self.model, self.usage = item.model, item.usage
        self.truncated = item.finish == "length"
        return None


class _Channel:
    """Between the task that receives and whoever reads. The methods belong to the background loop, except `stop`."""

    def __init__(self) -> None:
        # As long as an answer may be: one that nobody reads would keep its place with the server from others.
        self._queue: asyncio.Queue[str | Finished] = asyncio.Queue()
        self._pump: Future[None] | None = None

    def start(self, pieces: AsyncGenerator[str | Finished, None]) -> None:
        self._pump = start_in_background(self._run(pieces))

    def stop(self) -> None:
        if self._pump is not None:
            self._pump.cancel()

    async def take(self) -> str | Finished:
        item = await self._queue.get()
        if not isinstance(item, str):
            return item
        texts = [item]
        while not self._queue.empty():
            following = self._queue.get_nowait()
            if not isinstance(following, str):
                self._queue.put_nowait(following)  # the last one: back into the emptied queue
                break
            texts.append(following)
        return "".join(texts)

    def _run(self, pieces: AsyncGenerator[str | Finished, None]) -> Coroutine[Any, Any, None]:
        async def pump() -> None:
            try:
                async for piece in pieces:
                    await self._queue.put(piece)
            except asyncio.CancelledError:
                while not self._queue.empty():
                    self._queue.get_nowait()
                self._queue.put_nowait(Finished())  # whoever still reads is not left waiting
                raise
            except Exception as error:
                await self._queue.put(Finished(error=error))
            finally:
                await pieces.aclose()

        return pump()
