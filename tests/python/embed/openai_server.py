"""A scripted `/embeddings` endpoint on the loopback interface that also misbehaves in every way needed."""

from __future__ import annotations

import base64
import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

DIM = 4
JSON = "application/json"


@dataclass(frozen=True)
class Request:
    """What the server was asked."""

    path: str
    headers: dict[str, str]
    payload: dict[str, Any]


Reply = Callable[[BaseHTTPRequestHandler, Request], None]


class OpenAIServer:
    """Plays the queued replies in order, then answers properly.

    `requests` is the log. Leaving the `with` block fails when a queued reply was never asked for.
    """

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._script: deque[Reply] = deque()
        self._released = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.path, headers, json.loads(body))
                server.requests.append(request)
                reply = server._script.popleft() if server._script else server.good()
                try:
                    reply(self, request)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                """Stay silent."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._released.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        if kind is None:
            assert not self._script, f"{len(self._script)} scripted replies were never asked for"

    def queue(self, *replies: Reply) -> None:
        self._script.extend(replies)

    @staticmethod
    def vector(text: str, dim: int = DIM) -> np.ndarray:
        """The vector that the endpoint gives a text: distinct, and exact in float32."""
        return np.array([len(text), *map(ord, (text + "\0" * dim)[: dim - 1])], dtype=np.float32)

    def good(self) -> Reply:
        """A proper answer in the asked encoding, items in reverse order so that `index` matters."""

        def reply(handler: BaseHTTPRequestHandler, request: Request) -> None:
            dim = request.payload.get("dimensions", DIM)
            rows = [self.vector(text, dim) for text in request.payload["input"]]
            coded = [
                base64.b64encode(row.astype("<f4").tobytes()).decode()
                if request.payload.get("encoding_format") == "base64"
                else row.tolist()
                for row in rows
            ]
            items = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(coded)]
            self.data(items[::-1])(handler, request)

        return reply

    def data(self, items: Any) -> Reply:
        """Status 200 with these items, whatever was asked."""
        return self.body(json.dumps({"object": "list", "data": items}).encode())

    def vectors(self, *rows: Any) -> Reply:
        """Status 200 with these vectors, whatever was asked."""
        return self.data([{"index": i, "embedding": row} for i, row in enumerate(rows)])

    def body(self, body: bytes, status: int = 200, missing: int = 0, **headers: str) -> Reply:
        """A raw body; `missing` announces more bytes than are sent before the connection is closed."""

        def reply(handler: BaseHTTPRequestHandler, request: Request) -> None:
            handler.send_response(status)
            handler.send_header("Content-Type", JSON)
            handler.send_header("Content-Length", str(len(body) + missing))
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(body)
            handler.close_connection = True

        return reply

    def error(self, status: int, message: str = "scripted", **headers: str) -> Reply:
        """An error in the protocol's form."""
        return self.body(json.dumps({"error": {"message": message}}).encode(), status, **headers)

    def hang_up(self) -> Reply:
        """Close the connection without a byte of answer."""

        def reply(handler: BaseHTTPRequestHandler, request: Request) -> None:
            handler.close_connection = True

        return reply

    def hang(self) -> Reply:
        """Say nothing until the test is over."""

        def reply(handler: BaseHTTPRequestHandler, request: Request) -> None:
            self._released.wait(30)
            handler.close_connection = True

        return reply

    def drip_headers(self) -> Reply:
        """Headers that come byte after byte, for seconds."""

        def reply(handler: BaseHTTPRequestHandler, request: Request) -> None:
            handler.send_response(200)
            handler.flush_headers()
            for byte in b"X-A: b\r\n" * 150:
                handler.wfile.write(bytes([byte]))
                if self._released.wait(0.005):
                    break
            handler.close_connection = True

        return reply
