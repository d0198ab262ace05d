"""Log-probabilities over real HTTP, and answers that are no such thing."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from conversations import turns, work
from tools import MemoryTools, run_stages

from memspan.encode.compression.compress import Compress
from memspan.encode.compression.cross_entropy import CrossEntropy
from memspan.errors import InvalidArgumentError, LLMError, ModelAccessError
from memspan.llm.logprobs import EndpointLogProbs, TokenLogProb


class Server:
    """Echoes the prompt with a token a word, each as unlikely as it is long, and one generated token."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.headers: list[str] = []
        self.status = 200
        self.body = b""
        self.drip = 0.0
        self.missing = 0
        self.closing = threading.Event()
        self.location = ""
        self.change: Any = lambda logprobs: logprobs
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.asked.append({"path": self.path, **asked})
                server.keys.append(self.headers.get("Authorization"))
                server.headers.append(str(self.headers))
                body = server.body or json.dumps(server.answer(asked)).encode()
                self.send_response(server.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body) + server.missing))
                if server.location:
                    self.send_header("Location", server.location)
                self.end_headers()
                for byte in body if server.drip else ():
                    self.wfile.write(bytes([byte]))
                    if server.closing.wait(server.drip):
                        return
                self.wfile.write(b"" if server.drip else body)
                self.close_connection = True

            def log_message(self, *details: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        if self.status != 200:
            return {"error": {"message": "secret-key is not allowed"}}
        words = [*asked["prompt"].split(" "), "generated"]
        offsets, place = [], 0
        for word in words:
            offsets.append(place)
            place += len(word) + (place > 0)
        logprobs = {
            "tokens": words,
            "text_offset": offsets,
            "token_logprobs": [None, *(-float(len(word)) for word in words[1:])],
        }
        choice = {"text": "", "index": 0, "finish_reason": "length", "logprobs": self.change(logprobs)}
        return {"id": "1", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]}

    def close(self) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("LOGPROB_KEY", "secret-key")
    running = Server()
    yield running
    running.close()


def model(server: Server, **more: Any) -> EndpointLogProbs:
    return EndpointLogProbs("m", base_url=server.url, api_key_variable="LOGPROB_KEY", **more)


def test_a_text_comes_back_as_tokens(server: Server) -> None:
    tokens = asyncio.run(model(server).alogprobs("it is pottery"))

    assert tokens == [TokenLogProb(0, 2, None), TokenLogProb(2, 5, -2.0), TokenLogProb(5, 13, -7.0)]
    (asked,) = server.asked
    assert asked["path"] == "/v1/completions"
    assert (asked["echo"], asked["logprobs"], asked["max_tokens"], asked["temperature"]) == (True, 1, 1, 0)
    assert server.keys == ["Bearer secret-key"]


def test_compression_by_cross_entropy(server: Server) -> None:
    tools = MemoryTools()
    given = work(turns("so it is extraordinary pottery and", "we like tremendous lakes"))

    done = asyncio.run(
        run_stages([Compress(rate=0.5, scorer=CrossEntropy(model=model(server)))], given, tools)
    )

    # The first word, of which nothing is known, stays.
    assert [turn.text for turn in done.turns] == ["so extraordinary pottery", "we tremendous"]
    assert len(server.asked) == 2
    assert not tools.noted("scorer failed")


@pytest.mark.parametrize(
    "change",
    [
        lambda given: None,
        lambda given: {**given, "text_offset": given["text_offset"][1:]},
        lambda given: {**given, "text_offset": []},
        lambda given: {**given, "text_offset": [offset + 5 for offset in given["text_offset"]]},
        lambda given: {**given, "token_logprobs": None},
        lambda given: {**given, "token_logprobs": [float("nan")] * len(given["token_logprobs"])},
        lambda given: {**given, "text_offset": [0, 1e400, *given["text_offset"][2:]]},
    ],
)
def test_an_answer_without_them_is_refused_and_done_without(server: Server, change: Any) -> None:
    server.change = change
    with pytest.raises(LLMError, match="no log-probabilities"):
        asyncio.run(model(server).alogprobs("it is pottery"))

    tools = MemoryTools()
    stage = Compress(rate=0.5, scorer=CrossEntropy(model=model(server)))
    done = asyncio.run(run_stages([stage], work(turns("it is pottery and more")), tools))
    assert tools.noted("scorer failed")
    assert len(done.turns[0].text) < len("it is pottery and more")


@pytest.mark.parametrize("body", [b'{"choices": [', b"\xff\xfe", b"[" * 100_000])
def test_a_reply_that_is_no_json_is_an_error_of_the_model(server: Server, body: bytes) -> None:
    server.body = body
    with pytest.raises(LLMError, match="not JSON"):
        asyncio.run(model(server).alogprobs("it is pottery"))


@pytest.mark.parametrize("body", [b" " * 2_000_000, b"[" + b"[]," * 600_000 + b"[]]"])
def test_a_reply_without_measure_is_refused(
    server: Server, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memspan.llm.whole_reply.MAX_REPLY_BYTES", (2 << 20) - 200_000)
    server.body = body
    with pytest.raises(LLMError, match="larger than 1 MiB|more than 1,000,000 values"):
        asyncio.run(model(server).alogprobs("it is pottery"))
    assert len(server.asked) == 1


def test_a_connection_that_breaks_off_is_an_error_of_the_model(server: Server) -> None:
    server.missing = 10
    with pytest.raises(LLMError, match="the connection broke off, RemoteProtocolError"):
        asyncio.run(model(server).alogprobs("it is pottery"))


def test_a_server_that_drips_is_given_up(server: Server) -> None:
    server.drip = 0.05
    with pytest.raises(LLMError, match=r"no answer within 0\.5 s"):
        asyncio.run(model(server, timeout=0.5).alogprobs("it is pottery"))


def test_what_the_environment_has_for_another_server_is_not_sent(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Secret: s3cret\nAuthorization: Bearer other")
    asyncio.run(model(server).alogprobs("it is pottery"))
    assert not any(secret in server.headers[0] for secret in ("org-1", "s3cret", "other"))
    assert server.keys == ["Bearer secret-key"]


def test_an_error_tells_the_status_and_no_secret(server: Server) -> None:
    server.status = 401
    with pytest.raises(ModelAccessError, match="status 401") as caught:
        asyncio.run(model(server).alogprobs("it"))
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert "secret" not in repr(model(server))


def test_a_redirect_is_not_followed(server: Server) -> None:
    other = Server()
    server.status, server.location = 307, other.url.replace("127.0.0.1", "localhost")
    try:
        with pytest.raises(LLMError, match=r"status 307: points to 'http://localhost'"):
            asyncio.run(model(server).alogprobs("it is pottery"))
    finally:
        other.close()
    assert other.asked == []


def test_no_server(server: Server) -> None:
    with pytest.raises(LLMError, match="APIConnectionError"):
        asyncio.run(EndpointLogProbs("m", base_url="http://127.0.0.1:9/v1", timeout=2).alogprobs("it"))


def test_bad_arguments() -> None:
    for more in ({"base_url": "nowhere"}, {"base_url": "http://a/v1", "timeout": 0}):
        with pytest.raises(InvalidArgumentError):
            EndpointLogProbs("m", **more)
