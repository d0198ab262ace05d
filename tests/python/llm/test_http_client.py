"""What is sent stays with the server that was named, and what a server says with an error status is not read whole."""

from __future__ import annotations

import asyncio
import gzip
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from llm_faults import Fault, status
from pydantic import BaseModel
from scripted_llm import ScriptedLLM

from memspan.errors import LLMError
from memspan.llm import OpenAIModel, Prompt
from memspan.llm.http_client import CautiousClient


class Items(BaseModel):
    items: list[str]


@pytest.fixture
def other() -> Iterator[ScriptedLLM]:
    """Another server, which would answer."""
    with ScriptedLLM({"shout": lambda asked: {"items": ["theirs"]}}) as running:
        yield running


def redirect(code: int, other: ScriptedLLM) -> Fault:
    return status(code, location=other.url.replace("127.0.0.1", "localhost") + "/chat/completions?said=it")


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_redirects_are_refused_at_once(
    model: OpenAIModel, server: ScriptedLLM, other: ScriptedLLM, prompt: Prompt, code: int
) -> None:
    server.misbehave(redirect(code, other), redirect(code, other))
    said = rf"{server.url}: HTTP {code}: points to 'http://localhost'; redirects are not followed$"

    with pytest.raises(LLMError, match=said):
        model.complete(prompt, Items, stage="test")
    with pytest.raises(LLMError, match=said):
        list(model.astream(prompt, stage="test"))

    assert other.asked == []
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("/elsewhere", "to 'http://127.0.0.1'"),
        pytest.param(
            "mailto:a@b",
            "elsewhere",
            marks=pytest.mark.skipif(
                sys.version_info < (3, 11),
                reason="the last httpx2 for 3.10 takes it for a broken connection, which is tried again",
            ),
        ),
    ],
)
def test_odd_redirects_are_refused_too(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, location: str, place: str
) -> None:
    server.misbehave(status(302, location=location))

    with pytest.raises(LLMError, match=f"HTTP 302: points {place};"):
        model.complete(prompt, Items, stage="test")


class Said(BaseHTTPRequestHandler):
    """Says 1 MiB, compressed, with the status that the path names."""

    def do_GET(self) -> None:
        body = gzip.compress(b" " * (1 << 20))
        self.send_response(int(self.path[1:]))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *details: Any) -> None:
        """Stay silent."""


@pytest.fixture
def size_of() -> Iterator[Callable[[str], int]]:
    """How much of the body of a reply with that status is read."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Said) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()

        async def ask(path: str) -> int:
            async with CautiousClient() as client:
                response = await client.get(f"http://127.0.0.1:{running.server_port}{path}")
                return len(response.content)

        yield lambda path: asyncio.run(ask(path))
        running.shutdown()
        thread.join()


def test_little_of_an_error_is_read(size_of: Callable[[str], int]) -> None:
    assert size_of("/200") == 1 << 20
    assert [size_of(path) for path in ("/302", "/400", "/500")] == [1 << 16] * 3


def test_what_a_long_error_says_is_quoted(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    server.misbehave(*[Fault(name="long", status=400, message="no such thing " * 100_000)] * 3)

    with pytest.raises(LLMError, match="HTTP 400: .*no such thing") as raised:
        model.complete(prompt, Items, stage="test")

    assert len(str(raised.value)) < 500
