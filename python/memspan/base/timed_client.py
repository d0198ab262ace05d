"""An HTTP client whose limit on time holds for a whole call (extra `llm`)."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any

import httpx

from memspan.errors import unusable_proxy

__all__ = ["TimedClient"]


class TimedClient:
    """A client with one connection, kept between calls, for one thread at a time.

    httpx limits single reads, and a server that sends byte after byte never exceeds that, not even by its headers.
    Here another thread shuts the connection when the time is over; that there is one only tells which.

    Args:
        seconds: for connecting, for each read, and for all that is done within `limited`.
        options: of `httpx.Client`.

    Raises:
        MissingExtraError: the environment names a proxy of a kind that is not supported.
    """

    def __init__(self, seconds: float, **options: Any) -> None:
        limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
        try:
            self._client = httpx.Client(timeout=seconds, limits=limits, **options)
        except (ImportError, ValueError):
            raise unusable_proxy() from None
        self._seconds = seconds
        self._socket: socket.socket | None = None
        self._late = False

    def __enter__(self) -> TimedClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the client cannot be used afterwards."""
        self._client.close()

    def stream(self, method: str, url: str, **more: Any) -> AbstractContextManager[httpx.Response]:
        """See `httpx.Client.stream`."""
        return self._client.stream(method, url, extensions={"trace": self._watch}, **more)

    @contextmanager
    def limited(self) -> Iterator[None]:
        """What is asked for and read within takes so many seconds together at most.

        Raises:
            httpx.ReadTimeout: it took longer.
        """
        self._late = False
        timer = threading.Timer(self._seconds, self._shut)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError:
            # The interpreter is ending and starts nothing any more. Single reads are limited all the same.
            yield
            return
        try:
            yield
        except (httpx.TransportError, httpx.DecodingError):
            if not self._late:
                raise
        finally:
            timer.cancel()
            timer.join()
        # Also when nothing was raised: a body without a length ends where its connection does.
        if self._late:
            raise httpx.ReadTimeout(f"not complete after {self._seconds:g} s")

    def _watch(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = info["return_value"].get_extra_info("socket")
            if self._late:
                self._shut()

    def _shut(self) -> None:
        """Wakes who reads. To close the socket would free its number for another file, from which they would read
        on."""
        self._late = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                # Of an `SSLSocket`, too: its own `shutdown` takes the encryption away under the reader's hands.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
