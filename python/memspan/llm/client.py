"""`OpenAIModel`: a language model behind any OpenAI-compatible server (extra `llm`)."""

from __future__ import annotations

import asyncio
import os
import time
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from concurrent.futures import Future
from contextlib import aclosing, suppress
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from memspan.arguments import as_integer, as_json, as_number, as_text
from memspan.embed.loaded_once import LoadedOnce
from memspan.embed.openai_url import find_url
from memspan.errors import LLMError, invalid, missing_extra

try:
    import openai as _  # noqa: F401 - named here, so that the error says what needs it
    import pydantic
except ImportError as _error:
    raise missing_extra(_error.name or "openai", "OpenAIModel", "llm") from _error

from memspan.embed.retry import RetryPolicy

from .address import find_key
from .asking import Asker, Tally
from .background import background_loop, run_in_background, start_in_background
from .chat_endpoint import ChatEndpoint
from .deadline import SPENT
from .dialect import Dialect
from .pacing import Pace
from .prices import Prices
from .prompt import Prompt
from .protocol import Ready, Reply
from .reply_cache import ReplyCache
from .streaming import Finished, TextStream

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["OpenAIModel"]

M = TypeVar("M", bound="BaseModel")

_LONGEST: Final = 86_400.0


class OpenAIModel:
    """Any server with an OpenAI-compatible `/chat/completions` endpoint: hosted models, llama.cpp, vLLM, Ollama.
    Prompts, and with them texts of memories, are sent there.

    Answers are asked for by JSON schema; a server that has no such thing is asked for a JSON object, then for text,
    and what it refused is remembered. An answer that is not the object that was asked for is repaired when it is
    complete, else the model is told once what was wrong. Timeouts, broken connections, garbled replies and the
    statuses 408, 409, 425, 429 and 5xx are tried again after a growing pause, or the one that the server asks for.
    While a server does not answer at all (six requests, one after the other), others fail at once for as long as
    `timeout`, and then it is asked again.

    Usable from any number of threads and event loops at once, also after a fork: the connections live on a thread of
    their own.

    Args:
        model: the server's name of the model.
        base_url: where `/chat/completions` is appended; `None` takes the environment's `OPENAI_BASE_URL`, else OpenAI's
            own.
        api_key_variable: the environment variable that holds the key for that server, read now; `None` sends no key.
            Only OpenAI's own URL needs one.
        temperature: 0 for the same answer to the same prompt, as far as the server can.
        max_tokens: most tokens of an answer; `None` leaves it to the server.
        timeout: seconds for connecting, each read, and a whole reply; in a stream until it begins, and then for each
            piece of the answer, or of what the model thinks before it, which may take ten times as long in all.
        retries: attempts after the first.
        longest_pause: seconds; bounds the pause before a retry, also when the server asks for more.
        concurrency: most requests at once; `None`: found by trial from 8 to 64, fewer for a server that refuses them,
            see `places`.
        tokens_per_minute: let no more through in any minute, by the server's count and by an estimate for what is under
            way; `None` for no limit.
        cache: a file that keeps answers, so that the same prompt is paid for once; for evaluation and tests.
        prices: of tokens, so that usage has a price.
        extra: put into every request, such as `{"reasoning_effort": "low"}`; JSON-able, never a secret.
        sleep, clock: replace `asyncio.sleep` and `time.monotonic`, for tests.

    Raises:
        InvalidArgumentError: an argument of the wrong type or value, or no key where one is needed.
        StoreError: the cache cannot be used.
        MissingExtraError: openai, anyio, pydantic, json-repair, httpx or tenacity is not installed (on import).
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key_variable: str | None = "OPENAI_API_KEY",
        temperature: float = 0.0,
        max_tokens: int | None = None,
        timeout: float = 120.0,
        retries: int = 5,
        longest_pause: float = 60.0,
        concurrency: int | None = None,
        tokens_per_minute: int | None = None,
        cache: str | os.PathLike[str] | None = None,
        prices: Prices | None = None,
        extra: Mapping[str, Any] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not as_text(model, "model"):
            raise invalid("model", model, "the name of a model")
        self._model = model
        url = find_url(base_url)
        self._url = url
        key = find_key(api_key_variable, url)
        if prices is not None and not isinstance(prices, Prices):
            raise invalid("prices", prices, "memspan.llm.Prices, or None")
        as_json(extra, "extra")
        kept = ReplyCache(cache) if cache is not None else None
        self._cache = kept
        dialect = Dialect(
            temperature=as_number(temperature, "temperature", 0, 2),
            max_tokens=None if max_tokens is None else as_integer(max_tokens, "max_tokens", 1, 1 << 24),
        )
        retry = RetryPolicy(
            retries=as_integer(retries, "retries", 0, 100),
            longest_pause=_seconds(longest_pause, "longest_pause"),
        )
        seconds = _seconds(timeout, "timeout")
        most = None if concurrency is None else as_integer(concurrency, "concurrency", 1, 1 << 12)
        limit = tokens_per_minute
        if limit is not None:
            limit = as_integer(limit, "tokens_per_minute", 1, 1 << 40)
        added = dict(extra or {})

        def make_asker() -> Asker:
            pace = Pace(concurrency=most, tokens_per_minute=limit, clock=clock, sleep=sleep)
            endpoint = ChatEndpoint(
                url,
                key=key,
                timeout=seconds,
                retry=retry,
                pace=pace,
                extra=added,
                sleep=sleep,
                clock=clock,
            )
            return Asker(model, endpoint, dialect, cache=kept, prices=prices, extra=added)

        # The key is in this function alone, where no `vars` or `repr` shows it.
        self._connections = _Connections(make_asker)

    def __repr__(self) -> str:
        return f"OpenAIModel({self._model!r}, base_url={self._url!r})"

    def __enter__(self) -> OpenAIModel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def model(self) -> str:
        """The name that derived records are marked with."""
        return self._model

    def complete(self, prompt: Prompt, schema: type[M], *, stage: str) -> Reply[M]:
        """The same as `acomplete`, for threads without an event loop; blocks."""
        return run_in_background(self._ask(prompt, schema, stage))

    async def acomplete(
        self, prompt: Prompt, schema: type[M], *, stage: str, ready: Ready | None = None
    ) -> Reply[M]:
        """Ask the model and check its answer against the schema. Cancelling ends the request; the
        `CancelledError` says what was spent until then (`usage`).

        Args:
            prompt: what to ask.
            schema: a pydantic model that does not refer to itself.
            stage: who asks, for messages.
            ready: awaited in this event loop right before every request; what it raises is raised here, and nothing
                is sent any more. An answer out of the cache needs none.

        Raises:
            TruncatedReplyError: the answer, or the prompt, did not fit.
            BadReplyError: no answer of this schema, also after repair and a correction.
            LLMError: the server cannot be reached, refuses, or kept failing; or the model is closed.
        """
        tally = Tally()
        here = None if ready is None else _in_this_loop(ready)
        try:
            work = self._ask(prompt, schema, stage, tally, here)
            return await asyncio.wrap_future(start_in_background(work))
        except asyncio.CancelledError as error:
            setattr(error, SPENT, tally.spent)
            raise

    def astream(self, prompt: Prompt, *, stage: str, ready: Ready | None = None) -> TextStream:
        """An answer in free text as it comes: `async for piece in model.astream(...)`, or `for` in a thread without an
        event loop, without what some models think before it. Never from the cache. What fails before the first piece is
        tried again; later failures end the stream with an `LLMError`, after what had come.

        Args:
            prompt: what to ask.
            stage: who asks, for messages.
            ready: awaited right before every request, in whatever event loop; what it raises ends the stream, and
                nothing is sent any more.
        """

        async def pieces() -> AsyncGenerator[str | Finished, None]:
            async with aclosing(self._connections.asker().stream(prompt, stage, ready)) as stream:
                async for piece in stream:
                    yield piece

        return TextStream(pieces, self._model)

    def forget_replies(self) -> None:
        """Erase everything that the cache keeps, also of other programs that use the file; nothing without a cache.

        Raises:
            StoreError: the file is busy, so that there may be bytes left.
        """
        if self._cache is not None:
            self._cache.forget()

    def close(self) -> None:
        """Close the connections and the cache; the model cannot be used afterwards."""
        self._connections.close()
        if self._cache is not None:
            self._cache.close()

    async def _ask(
        self,
        prompt: Prompt,
        schema: type[M],
        stage: str,
        tally: Tally | None = None,
        ready: Ready | None = None,
    ) -> Reply[M]:
        _check_schema(schema)
        return await self._connections.asker().ask(prompt, schema, stage, tally, ready)


class _Connections:
    """The asker of this process; a forked child makes its own. Used in the background loop, closed from anywhere.

    Without a lock of its own, which a fork would leave to a child that has not the thread which holds it.
    """

    def __init__(self, make: Callable[[], Asker]) -> None:
        self._make = make
        # Those of a parent process stay there: their connections must not be closed here.
        self._askers: LoadedOnce[asyncio.AbstractEventLoop, Asker] = LoadedOnce()
        self._last: tuple[asyncio.AbstractEventLoop, Asker] | None = None
        self._closed = False

    def asker(self) -> Asker:
        self._require_open()
        asker = self._askers.get(asyncio.get_running_loop(), self._made)
        try:
            self._require_open()
        except LLMError:  # closed while it was made
            start_in_background(asker.close())
            raise
        return asker

    def close(self) -> None:
        self._closed = True
        if self._last is not None and self._last[0] is background_loop():
            run_in_background(self._last[1].close())

    def _require_open(self) -> None:
        if self._closed:
            raise LLMError("the model is closed")

    def _made(self, loop: asyncio.AbstractEventLoop) -> Asker:
        asker = self._make()
        self._last = loop, asker
        weakref.finalize(self, _close_later, asker, loop).atexit = False
        return asker


def _close_later(asker: Asker, loop: asyncio.AbstractEventLoop) -> None:
    if loop is background_loop():
        start_in_background(asker.close())


def _in_this_loop(ready: Ready) -> Ready:
    """The same, to be awaited in another event loop.

    Raises:
        RuntimeError: when it is awaited: this loop is closed.
    """
    loop = asyncio.get_running_loop()

    async def ask() -> None:
        answer: Future[None] = Future()

        def begin() -> None:
            # Not before: of what a loop that ends meanwhile does not begin, Python would say that it was forgotten.
            if not answer.cancelled():
                look = asyncio.ensure_future(ready())
                look.add_done_callback(partial(_pass_on, answer))
                answer.add_done_callback(partial(_end_too, look, loop))

        loop.call_soon_threadsafe(begin)
        await asyncio.wrap_future(answer)

    return ask


def _pass_on(answer: Future[None], done: asyncio.Future[object]) -> None:
    """Tell how `done` ended, unless nobody waits for it any more."""
    if done.cancelled():
        answer.cancel()
        return
    error = done.exception()
    if not answer.set_running_or_notify_cancel():
        return
    if error is None:
        answer.set_result(None)
    else:
        answer.set_exception(error)


def _end_too(look: asyncio.Future[object], loop: asyncio.AbstractEventLoop, answer: Future[None]) -> None:
    """Cancel the look where nobody waits for its answer any more."""
    if answer.cancelled():
        with suppress(RuntimeError):  # its loop is closed
            loop.call_soon_threadsafe(look.cancel)


def _check_schema(schema: Any) -> None:
    if not isinstance(schema, type) or not issubclass(schema, pydantic.BaseModel):
        raise invalid("schema", schema, "a pydantic model")


def _seconds(value: Any, argument: str) -> float:
    number = as_number(value, argument, 0, _LONGEST)
    if number == 0:
        raise invalid(argument, value, f"seconds above 0, at most {_LONGEST:g}")
    return number
