"""A limit on time for all of a call, also when bytes keep coming."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

httpx = pytest.importorskip("httpx")

from memspan.base.timed_client import TimedClient  # noqa: E402

DRIP = b"X-A: b\r\n" * 150
"""Seconds, byte by byte."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.connections = 0
        self.ending = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that hang up are part of the tests."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_GET(self) -> None:
        self.send_response(200)
        if self.path == "/":
            self.send_header("Content-Length", "2")
        if self.path != "/headers":
            self.end_headers()
        self.flush_headers()
        if self.path == "/":
            self.wfile.write(b"ok")
            return
        for byte in DRIP:
            self.wfile.write(bytes([byte]))
            if self.server.ending.wait(0.005):
                break
        self.close_connection = True

    def log_message(self, *details: object) -> None:
        """Stay silent."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.ending.set()
        running.shutdown()
        thread.join()


def get(client: TimedClient, url: str) -> bytes:
    with client.limited(), client.stream("GET", url) as response:
        return bytes(response.read())


@pytest.mark.parametrize("path", ["/headers", "/body"])
def test_what_comes_byte_by_byte_is_given_up(server: Server, path: str) -> None:
    before = threading.active_count()
    with TimedClient(2, trust_env=False) as client:
        with pytest.raises(httpx.ReadTimeout, match=r"not complete after 2 s"):
            get(client, server.url + path)
        assert get(client, server.url) == b"ok"
    assert server.connections == 2
    server.ending.set()
    assert threading.active_count() <= before + 2  # those of the server


def test_a_connection_that_was_kept_is_limited_too(server: Server) -> None:
    with TimedClient(2, trust_env=False) as client:
        assert [get(client, server.url) for _ in range(3)] == [b"ok"] * 3
        with pytest.raises(httpx.ReadTimeout):
            get(client, server.url + "/headers")
    assert server.connections == 1


def test_at_the_end_of_the_interpreter(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Timer) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    with TimedClient(30, trust_env=False) as client:
        monkeypatch.setattr(threading.Timer, "start", refuse)
        assert get(client, server.url) == b"ok"


def test_other_failures_stay_what_they_are() -> None:
    with TimedClient(5, trust_env=False) as client, pytest.raises(httpx.ConnectError):
        get(client, "http://127.0.0.1:9/")
