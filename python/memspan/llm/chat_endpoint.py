"""One model on one server: requests with retries, time limits and pacing, and errors that say what happened but no
secret."""

from __future__ import annotations

import asyncio
import platform
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any, Final

from memspan.errors import LLMError, missing_extra, shorten
from memspan.limits import MAX_REPLY_BYTES

try:
    import anyio
    import openai
except ImportError as _error:
    raise missing_extra(_error.name or "openai", "OpenAIModel", "llm") from _error

from memspan.base.half_emoji import JoinedHalves
from memspan.embed.redirects import pointed_elsewhere
from memspan.embed.retry import RetryPolicy, TransientError, retry_after_seconds
from memspan.embed.wrong_address import address_hint, without_page

from .address import is_of_environment
from .completion import Completion, failure_of, read_completion, told_by
from .dialect import FINAL_CODES, LATER, Refusal, is_too_large
from .http_client import CautiousClient, broke_off
from .pacing import Pace
from .protocol import Ready
from .stream_event import Bounded, StreamEnd, WholeAnswer, pass_over_empty, read_event
from .thoughts import Thoughts
from .usage import Usage
from .whole_reply import parse_reply, read_bytes, too_large

__all__ = ["ChatEndpoint", "StreamEnd"]

_OVERLOADED: Final = frozenset({429, 503})
_QUOTED: Final = 200
_HOPELESS: Final = 6
"""Requests without an answer, one after the other, after which none are sent for a while."""
_THINKING: Final = 10
"""Times the limit of a reply, that a model may think in a stream before it answers."""


class _SilenceError(TransientError):
    """There was no answer in time."""


class ChatEndpoint:
    """Asks one server. Belongs to the event loop in which it is used.

    A server that hangs would keep each of many requests waiting for as long as all those before it. When six, each sent
    after the one before, had no answer, those that come fail at once, until as much time as one has is over.

    Args:
        url: where `/chat/completions` is appended.
        key: sent as a bearer token; never part of a message or a `repr`.
        timeout: seconds for connecting, for each read, and for a whole reply; in a stream until it begins, and then
            for each piece.
        retry: when to try again.
        pace: lets requests through.
        extra: put into every request's body.
        sleep, clock: wait, and monotonic seconds.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None,
        timeout: float,
        retry: RetryPolicy,
        pace: Pace,
        extra: Mapping[str, Any],
        sleep: Callable[[float], Awaitable[None]],
        clock: Callable[[], float],
    ) -> None:
        self.url = url
        self._key = key
        self._timeout = timeout
        self._retry = retry
        self._pace = pace
        self._extra = dict(extra) or None
        self._sleep = sleep
        self._clock = clock
        self._closed = False
        self._unanswered = 0
        self._silent_at = float("-inf")
        """When the last request was given up that had no answer."""
        elsewhere = not is_of_environment(url)
        # Its own retries are off: ours are paced, counted and testable without waiting.
        self._client = openai.AsyncOpenAI(
            base_url=url,
            api_key=key or "none",
            timeout=timeout,
            max_retries=0,
            default_headers={"Authorization": f"Bearer {key or 'none'}"} if elsewhere else None,
            http_client=CautiousClient(own_headers=elsewhere),
        )
        # Else looked up by the first request, under locks that a fork at that moment would leave to its child.
        self._create: Any = self._client.chat.completions.with_streaming_response.create
        self._create_stream: Any = self._client.chat.completions.create
        platform.platform()

    async def close(self) -> None:
        """Close the connections; requests under way fail."""
        self._closed = True
        await self._client.close()

    async def ask(
        self,
        body: Mapping[str, Any],
        tokens: int,
        sent: Callable[[bool], object] = lambda under_way: None,
        ready: Ready | None = None,
    ) -> Completion:
        """Send one request, again after failures that may go away, and read the reply.

        Args:
            body: everything but what the endpoint adds.
            tokens: about how many it will take, for the pace.
            sent: is told when a request goes out and when it ends, but not when it is cancelled.
            ready: is awaited right before every attempt; what it raises ends them.

        Raises:
            Refusal: the server would refuse it again.
            LLMError: every attempt failed.
        """

        async def attempt() -> Completion:
            async with self._pace.slot(tokens) as slot:
                with self._hopeful():
                    if ready is not None:
                        await ready()
                    started = self._clock()
                    sent(True)
                    try:
                        reply = await self._within_time(self._exchange(body), "no complete answer")
                    except Exception:  # a cancelled request is still with the server
                        sent(False)
                        raise
                    sent(False)
                    completion = read_completion(
                        reply, model=body["model"], seconds=self._clock() - started, quote=self._quote
                    )
                    slot.tokens = _tokens(completion.usage) or slot.tokens
                    return completion

        completion: Completion = await self._persistently(attempt)
        return completion

    async def stream(
        self, body: Mapping[str, Any], tokens: int, ready: Ready | None = None
    ) -> AsyncGenerator[str | StreamEnd, None]:
        """The pieces of an answer as they come, without the thoughts before it, then its end. What fails before the
        first piece is tried again; `ready` as for `ask`.

        Raises:
            Refusal: the server would refuse it again.
            LLMError: every attempt failed, the connection broke in the middle, or the model thought for too long.
        """
        pieces: AsyncGenerator[str | StreamEnd, None] | None = None

        async def attempt() -> str | StreamEnd:
            nonlocal pieces
            pieces = self._pieces(body, tokens, ready)
            try:
                return await anext(pieces)
            except BaseException:
                await pieces.aclose()
                raise

        yield await self._persistently(attempt)
        assert pieces is not None
        async with aclosing(pieces):
            try:
                async for piece in pieces:
                    yield piece
            except (TransientError, Refusal) as error:
                failure = LLMError(f"{self.url}: the answer broke off: {error}")
            else:
                return
        failure.usage = Usage(calls=1, uncounted=1)
        raise failure

    async def _persistently(self, attempt: Callable[[], Awaitable[Any]]) -> Any:
        attempts = 0

        async def counted() -> Any:
            nonlocal attempts
            attempts += 1
            try:
                return await attempt()
            except TransientError as error:
                if error.wait is not None and attempts <= self._retry.retries:
                    self._pace.pause(min(error.wait, self._retry.longest_pause))
                raise

        try:
            return await self._retry.arun(counted, self._sleep)
        except TransientError as error:
            tries = "1 attempt" if attempts == 1 else f"{attempts} attempts"
            failure = LLMError(f"{self.url}: {error}; gave up after {tries}")
            failure.unanswered = True
            raise failure from error

    @contextmanager
    def _hopeful(self) -> Iterator[None]:
        """Around each request that goes out, to know whether the server answers at all."""
        started = self._clock()
        if self._unanswered >= _HOPELESS and started < self._silent_at + self._timeout:
            failure = LLMError(
                f"{self.url}: not asked, for {self._unanswered} requests in a row had no answer within "
                f"{self._timeout:g} s"
            )
            failure.unanswered = True
            raise failure
        try:
            yield
        except _SilenceError:
            # Of those that were with the server at the same time the first one counts.
            self._unanswered += started >= self._silent_at
            self._silent_at = self._clock()
            raise
        except (TransientError, Refusal):
            self._unanswered = 0
            raise
        self._unanswered = 0

    async def _within_time(self, work: Awaitable[Any], missing: str, seconds: float | None = None) -> Any:
        """Unlike `asyncio.wait_for` (before Python 3.12), this loses no cancellation that comes together with what it
        waits for: nobody would read what comes after it."""
        try:
            with anyio.fail_after(self._timeout if seconds is None else seconds):
                return await work
        except TimeoutError:
            failure = _SilenceError(f"{missing} within {self._timeout:g} s", overloaded=True)
        raise failure

    async def _exchange(self, body: Mapping[str, Any]) -> Any:
        try:
            async with self._create(**body, extra_body=self._extra) as response:
                page = _page(response.headers)
                received = await read_bytes(response, self.url)
        except Exception as error:
            failure = self._failure(error)
        else:
            try:
                return await parse_reply(received, self.url)
            except (ValueError, RecursionError):
                raise TransientError(f"the reply of {len(received)} bytes is not JSON{page}") from None
        # Raised here and not above: the foreign error holds the request, and with it the key.
        raise failure

    async def _pieces(
        self, body: Mapping[str, Any], tokens: int, ready: Ready | None
    ) -> AsyncGenerator[str | StreamEnd, None]:
        """One attempt; holds its place among the requests until the end.

        The client's own limit is one for each read: comments that keep the connection alive, and events that say
        nothing, would put it off for ever. So would thoughts that turn in circles, of which the caller sees nothing.
        """
        async with self._pace.slot(tokens) as slot:
            with self._hopeful():
                if ready is not None:
                    await ready()
                started, time_of = self._clock(), asyncio.get_running_loop().time
                end, halves, thoughts = StreamEnd(body["model"]), JoinedHalves(), Thoughts()
                received = 0
                opened = await self._within_time(self._open(body, end), "no answer")
                try:
                    until = time_of() + self._timeout
                    answering, thinking_until = False, time_of() + _THINKING * self._timeout
                    while True:
                        chunk = await self._within_time(
                            self._next_chunk(opened), "no answer", max(0.0, until - time_of())
                        )
                        if chunk is None:
                            break
                        # Whole blocks of events are there at once, and each takes half a millisecond.
                        await asyncio.sleep(0)
                        piece, said = read_event(chunk, end, self._clock() - started)
                        if piece:
                            received += len(piece)
                            if received > MAX_REPLY_BYTES:
                                raise too_large(self.url)
                            if piece := thoughts.feed(halves.feed(piece)):
                                answering = True
                                yield piece
                        if said:
                            self._unanswered = 0
                            until = time_of() + self._timeout
                        if not answering and time_of() > thinking_until:
                            raise self._too_thoughtful()
                finally:
                    await _end(opened)
                if not (end.finish or (end.closed and answering)):
                    raise TransientError("the stream ended before the answer did")
                if held := thoughts.feed(halves.end()) + thoughts.end():
                    yield held
                slot.tokens = _tokens(end.usage) or slot.tokens
                yield end

    def _too_thoughtful(self) -> LLMError:
        error = LLMError(
            f"{self.url}: the model thought for {_THINKING * self._timeout:g} s without an answer"
        )
        error.usage = Usage(calls=1, uncounted=1)
        return error

    async def _open(self, body: Mapping[str, Any], end: StreamEnd) -> Any:
        try:
            opened = await self._create_stream(**body, extra_body=self._extra)
        except Exception as error:
            failure = self._failure(error)
        else:
            response, read = opened.response, opened.response.aiter_bytes
            response.aiter_bytes = lambda *how: Bounded(read(*how), self.url, end)
            pass_over_empty(opened)
            if "json" in response.headers.get("content-type", ""):
                return WholeAnswer(opened, body["model"], self.url, self._quote)
            if not (page := _page(response.headers)):
                return opened
            await opened.close()
            failure = TransientError(f"the reply is no stream of events{page}")
        raise failure

    async def _next_chunk(self, opened: Any) -> Any:
        try:
            return await anext(opened)
        except StopAsyncIteration:
            return None
        except Exception as error:
            failure = self._failure(error)
        if isinstance(failure, (ValueError, RecursionError)):  # no JSON, no UTF-8, or nested too deeply
            failure = TransientError(f"an event cannot be read ({type(failure).__name__})")
        raise failure

    def _failure(self, error: Exception) -> Exception:
        """The same failure as one of ours, without the request that it belongs to; anything else as it is."""
        if self._closed:
            return LLMError("the model was closed meanwhile")
        if isinstance(error, openai.APIStatusError):
            return self._of_status(error)
        if isinstance(error, openai.APITimeoutError):
            return _SilenceError(f"no answer within {self._timeout:g} s", overloaded=True)
        if isinstance(error, openai.APIConnectionError):
            cause = error.__cause__ or error
            why = type(cause).__name__
            if why == "ConnectError":  # says what the system does; others may quote what was to be sent
                why += f": {self._quote(str(cause))}"
            return TransientError(f"no connection ({why})")
        if isinstance(error, openai.APIError):  # an error event in a stream
            return failure_of(error.body or error.message, self._quote)
        if broke_off(error):
            return TransientError(f"the connection broke off ({type(error).__name__})")
        if isinstance(error, openai.OpenAIError):
            return LLMError(f"{self.url}: {self._quote(str(error))}")
        return error

    def _of_status(self, error: openai.APIStatusError) -> Exception:
        status, code = error.status_code, str(error.code or "")
        pointed = pointed_elsewhere(self.url, status, error.response.headers.get("location"))
        if pointed is not None:
            return Refusal(status, f"HTTP {status}: {self._redacted(pointed)}", code)
        told = without_page(told_by(error.body) or error.message)
        text = f"HTTP {status}: {self._quote(told)}{address_hint(self.url, status, told)}"
        final = code in FINAL_CODES or status == 501 or is_too_large(status, text)
        if final or (status < 500 and status not in LATER):
            return Refusal(status, text, code)
        wait = retry_after_seconds(error.response.headers, time.time())
        return TransientError(text, wait, overloaded=status in _OVERLOADED)

    def _quote(self, text: str) -> str:
        return shorten(self._redacted(text), _QUOTED)

    def _redacted(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _page(headers: Mapping[str, str]) -> str:
    """What to add of a reply that is a page for people."""
    return " but HTML, is the address right?" if "html" in headers.get("content-type", "") else ""


async def _end(opened: Any) -> None:
    """Close an answer, wherever it is. What OpenAI's client reads it with refers to itself: what is left in the middle
    would wait for the collector, which ends the outer and the inner generators at once, beside this loop's thread."""
    await opened.close()
    if (reading := getattr(opened, "_iterator", None)) is not None:
        await reading.aclose()


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.completion_tokens
