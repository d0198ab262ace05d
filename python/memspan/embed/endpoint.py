"""Posting JSON to an HTTP endpoint: retries, time limits, and errors that say what happened but no secret."""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from memspan.embed.access import is_without_access
from memspan.embed.redirects import pointed_elsewhere
from memspan.embed.retry import RetryPolicy, TransientError, retry_after_seconds
from memspan.embed.wrong_address import address_hint, without_page
from memspan.errors import (
    EmbedderAccessError,
    EmbedderError,
    InvalidArgumentError,
    invalid,
    missing_extra,
    shorten,
    unread_certificates,
)

try:
    import httpx
except ImportError as _error:
    raise missing_extra("httpx", "OpenAIEmbedder", "llm") from _error

from memspan.base.timed_client import TimedClient

__all__ = ["JsonEndpoint", "TooLargeError", "Transport"]

_LATER = frozenset({408, 425, 429})
_TOO_MUCH = frozenset({400, 413, 422})
_TOO_LONG = re.compile(r"\btokens?\b|context|length|too (?:long|large)|exceed", re.IGNORECASE)
"""In what a server says of a single text: as OpenAI, vLLM, Ollama, Jina and text-embeddings-inference do."""
_TOO_LONG_HERE = re.compile(r"too large to process|input length exceeds", re.IGNORECASE)
"""The same with status 500: as llama.cpp says it of texts beyond its batch, by default of 512 tokens, or Ollama."""
_MAX_REPLY = 1 << 28
_QUOTED = 300
Transport: TypeAlias = httpx.BaseTransport
"""What sends requests instead of the network, for tests and proxies."""

_KEPT = 20  # as many as httpx keeps


class TooLargeError(EmbedderError):
    """The endpoint may take a smaller request: status 413, or 400, 422 or 500, which have other reasons, too.

    Attributes:
        too_long: it says that a text is too long.
    """

    too_long = False


class JsonEndpoint:
    """One URL that takes and returns JSON. Thread-safe; connections are kept between calls, and not used by a fork.

    Args:
        url: http or https, without user name or password.
        api_key: sent as a bearer token; None sends none. Never part of a message or a `repr`.
        headers: sent with every request; values are treated as secrets too.
        timeout: seconds for connecting, for each read, and for a whole request with its reply.
        retry: when to try again.
        transport: replaces the network, for tests.
        clock: monotonic seconds, for the time limit of a whole reply.

    Raises:
        InvalidArgumentError: a malformed URL, key or header.
        EmbedderError: the environment names certificates that cannot be read.
    """

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None,
        headers: Mapping[str, str],
        timeout: float,
        retry: RetryPolicy,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.url = url
        self._timeout = timeout
        self._retry = retry
        self._clock = clock
        sent = {str(name): _check_secret(value, "headers") for name, value in headers.items()}
        if api_key is not None:
            sent["Authorization"] = f"Bearer {_check_secret(api_key, 'api_key')}"
        self._secrets = _spellings(sent.values())
        # The certificates are read once, not for each client.
        try:
            trusted = httpx.create_ssl_context()
        except OSError as error:
            raise EmbedderError(unread_certificates(error)) from None
        self._options: dict[str, Any] = {"headers": sent, "transport": transport, "verify": trusted}
        self._kept: tuple[int, deque[TimedClient]] = os.getpid(), deque()
        # Of a parent process: two that read from one connection would get each other's replies.
        self._left: list[deque[TimedClient]] = []
        self._closed = threading.Event()

    def post(self, payload: Mapping[str, Any]) -> Any:
        """Send `payload` and return the parsed reply.

        Raises:
            TooLargeError: the endpoint wants smaller ones, or refuses this one for another reason.
            EmbedderAccessError: it refuses the key, or the account has no credit.
            EmbedderError: it refused the request, or every attempt failed.
        """
        attempts = 0

        def attempt() -> Any:
            nonlocal attempts
            attempts += 1
            return self._attempt(payload)

        try:
            return self._retry.run(attempt)
        except TransientError as error:
            tries = "1 attempt" if attempts == 1 else f"{attempts} attempts"
            failure = EmbedderError(f"{self.url}: {error}; gave up after {tries}")
            failure.unanswered = True
            raise failure from error

    def close(self) -> None:
        """Close the kept connections; those in use are closed when their replies are there."""
        self._closed.set()
        with contextlib.suppress(IndexError):
            while True:
                self._idle().pop().close()

    def shown(self, value: Any, limit: int = 80) -> str:
        """The `repr` of a part of a reply, which may say what was sent: without secrets, and then cut."""
        text = self._redact(shorten(value, _MAX_REPLY))
        return text if len(text) <= limit else text[: limit - 1] + "…"

    def _attempt(self, payload: Mapping[str, Any]) -> Any:
        try:
            with (
                self._client() as client,
                client.limited(),
                client.stream("POST", self.url, json=payload) as response,
            ):
                body = self._read(response)
        except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL) as error:
            failure: Exception | None = self._failure(error)
        else:
            failure = self._refusal(response, body)
        # Raised here and not above: httpx's error holds the request, and with it the key.
        if failure is not None:
            raise failure
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            failure = TransientError(f"the reply of {len(body)} bytes is not JSON ({error})")
        raise failure

    @contextlib.contextmanager
    def _client(self) -> Iterator[TimedClient]:
        """For one request; each has but one connection."""
        if self._closed.is_set():
            raise EmbedderError(f"{self.url}: the embedder is closed")
        idle = self._idle()
        try:
            client = idle.pop()
        except IndexError:
            client = TimedClient(self._timeout, **self._options)
        try:
            yield client
        finally:
            if self._closed.is_set() or len(idle) >= _KEPT:
                client.close()
            else:
                idle.append(client)

    def _idle(self) -> deque[TimedClient]:
        """Clients of this process that nobody uses."""
        process, idle = self._kept
        if process != os.getpid():
            self._left.append(idle)
            self._kept = os.getpid(), deque()
            idle = self._kept[1]
        return idle

    def _failure(self, error: httpx.TransportError | httpx.DecodingError | httpx.InvalidURL) -> Exception:
        """The same failure as one of ours, without the request that it belongs to."""
        name = type(error).__name__
        if isinstance(error, httpx.InvalidURL):  # which httpx makes a request of, though it is not to be sent
            return EmbedderError(f"{self.url}: a redirect to what is no address ({name})")
        if isinstance(error, httpx.TimeoutException):
            return TransientError(f"no answer within {self._timeout:g} s ({name})")
        if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
            return EmbedderError(f"{self.url}: the request cannot be sent ({name})")
        return TransientError(self._redact(f"{name}: {error}"))

    def _refusal(self, response: httpx.Response, body: bytes) -> Exception | None:
        status = response.status_code
        if is_without_access(status, _code_of(body) if status in _LATER else ""):
            return EmbedderAccessError(f"{self.url}: {self._describe(response, body)}")
        if response.is_success:
            return None
        told = self._describe(response, body)
        too_long = status == 500 and _TOO_LONG_HERE.search(told) is not None
        if not too_long and (status >= 500 or status in _LATER):
            return TransientError(told, retry_after_seconds(response.headers, time.time()))
        if not too_long and status not in _TOO_MUCH:
            return EmbedderError(f"{self.url}: {told}")
        failure = TooLargeError(f"{self.url}: {told}")
        failure.too_long = too_long or status == 413 or _TOO_LONG.search(told) is not None
        return failure

    def _read(self, response: httpx.Response) -> bytes:
        """The whole body, which is also too late by the clock that was given."""
        started = self._clock()
        body = bytearray()
        for block in response.iter_bytes():
            body += block
            if len(body) > _MAX_REPLY:
                raise EmbedderError(f"{self.url}: the reply is larger than {_MAX_REPLY >> 20} MiB")
            if self._clock() - started > self._timeout:
                raise TransientError(f"the reply was not complete after {self._timeout:g} s")
        return bytes(body)

    def _describe(self, response: httpx.Response, body: bytes) -> str:
        text = body.decode("utf-8", errors="replace").strip()
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            text = str(json.loads(text)["error"]["message"])
        status = f"HTTP {response.status_code} {response.reason_phrase}".rstrip()
        pointed = pointed_elsewhere(self.url, response.status_code, response.headers.get("location"))
        if pointed is not None:
            return self._redact(f"{status}: {pointed}")
        text = without_page(text)
        said = f"{self._redact(status)}: {self.shown(text, _QUOTED)}" if text else self._redact(status)
        return said + address_hint(self.url, response.status_code, text)

    def _redact(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def _code_of(body: bytes) -> str:
    """The name that the server has for the reason of an error; empty where it gives none."""
    try:
        return str(json.loads(body)["error"]["code"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def _spellings(values: Iterable[str]) -> tuple[str, ...]:
    """Values of headers, also without a scheme such as "Bearer", and as a `repr` has them; the longest first, so that
    one that begins another leaves nothing of it.
    """
    parts = {part for value in values for part in (value, value.partition(" ")[2])}
    spelled = {spelling for part in parts for spelling in (part, repr(part)[1:-1])}
    return tuple(sorted(filter(None, spelled), key=lambda spelling: (-len(spelling), spelling)))


def check_url(url: Any, argument: str) -> str:
    """Return `url` without a trailing slash when it is a plain http(s) URL; a refused one is not quoted."""
    accepted = "an http or https URL without user name, password, query or fragment"
    try:
        parts = urlsplit(url)
        httpx.URL(url)
        plain = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except (TypeError, ValueError, AttributeError, httpx.InvalidURL):
        plain = False
    if not plain or "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidArgumentError(f"{argument}: got something else; accepted: {accepted}")
    return str(url).rstrip("/")


def _check_secret(value: Any, argument: str) -> str:
    if not isinstance(value, str):
        raise invalid(argument, type(value), "str")
    if not value.isascii() or not value.isprintable():
        raise InvalidArgumentError(
            f"{argument}: got a value that a header cannot hold; accepted: printable ASCII"
        )
    return value
