"""A language model's server for tests: OpenAI's protocol over real HTTP on loopback, answers by rules, faults on
demand.

    with ScriptedLLM({"extract": lambda asked: {"statements": [...]}}) as server:
        model = OpenAIModel("scripted", base_url=server.url)

A rule is a function from what was asked (`Asked`: the task's name, the data read back from the prompt) to the object
of the reply; it must be a real function of the data, so that whole recipes can run over a conversation. `all_rules()`
joins the `RULES` of every `rules_<stage>.py` in this folder.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from llm_faults import Fault

__all__ = ["Asked", "Exchange", "Rule", "ScriptedLLM", "all_rules", "count_tokens", "read_data"]

_DATA: Final = re.compile(r"^<([a-z][a-z_]*)>\n(.*?)^</\1>$", re.MULTILINE | re.DOTALL)
_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_UNSUPPORTED: Final = "Invalid parameter: 'response_format' of type '{}' is not supported with this model."


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request, read."""

    task: str
    """From the first line of the instructions, `Task: <name>`."""
    system: str
    user: str
    data: Mapping[str, list[Any]]
    """By the delimiters' name: the JSON lines between them."""
    mode: str
    """`json_schema`, `json_object` or `text`."""
    schema: Mapping[str, Any] | None
    corrections: int
    """How often the model was told what was wrong with its answer."""
    stream: bool
    body: Mapping[str, Any]
    """The whole request."""
    headers: Mapping[str, str]
    """By lower-case name."""


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One request and what became of it."""

    asked: Asked
    fault: Fault | None
    started: float
    ended: float
    """Seconds of the monotonic clock."""


Rule = Callable[[Asked], Any]


def read_data(text: str) -> dict[str, list[Any]]:
    """The data of a rendered prompt, by the name of its delimiters."""
    return {found[1]: [json.loads(line) for line in found[2].splitlines()] for found in _DATA.finditer(text)}


def count_tokens(text: str) -> int:
    """Words and marks count as tokens."""
    return len(_TOKEN.findall(text))


def all_rules() -> dict[str, Rule]:
    """The rules of every stage that has some."""
    rules: dict[str, Rule] = {}
    for path in sorted(Path(__file__).parent.glob("rules_*.py")):
        rules |= import_module(path.stem).RULES
    return rules


class ScriptedLLM:
    """The server; runs between `with` and its end. Every attribute may be changed while it runs.

    Attributes:
        rules: by the task's name. A request without a rule, or whose rule raises, gets status 404 and is kept
            in `troubles`.
        schedule: what goes wrong with a request that nothing was queued for; gets the request and its number.
        refused: modes that are refused with status 400: `json_schema`, `json_object`; also `stream_options`.
        delay: seconds that every good reply takes.
        cached_tokens: how many tokens of every prompt were cached, by what the replies say.
        refusal: said instead of an answer.
        asked: what was asked, in the order of arrival.
        exchanges: finished requests in the order of their ends; over as soon as the client may know the reply.
        most_at_once: how many requests were in work at the same time.
    """

    def __init__(self, rules: Mapping[str, Rule] | None = None, *, model: str = "scripted-1") -> None:
        self.rules: dict[str, Rule] = dict(rules or {})
        self.schedule: Callable[[Asked, int], Fault | None] = lambda asked, number: None
        self.refused: set[str] = set()
        self.delay = 0.0
        self.cached_tokens = 0
        self.refusal: str | None = None
        self.model = model
        self.asked: list[Asked] = []
        self.exchanges: list[Exchange] = []
        self.troubles: list[str] = []
        self.most_at_once = 0
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self._faults: dict[str | None, deque[Fault | None]] = {}
        self._queued: dict[str, deque[Any]] = {}
        self._at_once = 0
        self._server = _Server(self)

    def __enter__(self) -> ScriptedLLM:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """For `base_url`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def misbehave(self, *faults: Fault | None, task: str | None = None) -> None:
        """Queue faults for the next requests (of that task), one each; `None` is a good reply."""
        with self.lock:
            self._faults.setdefault(task, deque()).extend(faults)

    def reply(self, task: str, *replies: Any) -> None:
        """Queue replies for the next requests of that task, before its rule: objects, or the text of the model."""
        with self.lock:
            self._queued.setdefault(task, deque()).extend(replies)

    def check(self) -> None:
        """Fail when a rule was missing or raised, or something was queued and never asked for."""
        assert not self.troubles, self.troubles
        left = {task: list(queue) for task, queue in (self._faults | self._queued).items() if queue}
        assert not left, f"never asked for: {left}"

    def begin(self, asked: Asked) -> Fault | None:
        """A request came in: what goes wrong with it?"""
        with self.lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            self.asked.append(asked)
            number = len(self.asked) - 1
            for task in (asked.task, None):
                if queue := self._faults.get(task):
                    return queue.popleft()
        return self.schedule(asked, number)

    def end(self, exchange: Exchange) -> None:
        """A request is over."""
        with self.lock:
            self._at_once -= 1
            self.exchanges.append(exchange)

    def text(self, asked: Asked) -> str | None:
        """What the model says; `None` when the rule is missing or raises."""
        with self.lock:
            queue = self._queued.get(asked.task)
            said = queue.popleft() if queue else None
        if said is None:
            try:
                said = self.rules[asked.task](asked)
            except Exception:
                self.troubles.append(f"task {asked.task!r}: {traceback.format_exc()}")
                return None
        return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, script: ScriptedLLM) -> None:
        self.script = script
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server
    _over: Callable[[], None] | None = None

    def log_message(self, *arguments: object) -> None:
        """Nothing is printed."""

    def do_POST(self) -> None:
        script = self.server.script
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not self.path.endswith("/chat/completions"):
            self._send_error(404, f"no such path: {self.path}", {})
            return
        asked = self._read(body)
        started = time.monotonic()
        fault = script.begin(asked)
        self._over = lambda: script.end(
            Exchange(asked=asked, fault=fault, started=started, ended=time.monotonic())
        )
        try:
            self._answer(asked, fault)
        finally:
            self._end()

    def _end(self) -> None:
        """The request is over; called before the client can know it, so that its next one is not beside this one."""
        over, self._over = self._over, None
        if over is not None:
            over()

    def _read(self, body: dict[str, Any]) -> Asked:
        messages = body["messages"]
        system = next((one["content"] for one in messages if one["role"] == "system"), "")
        user = next((one["content"] for one in messages if one["role"] == "user"), "")
        task = re.match(r"Task: (\S+)", system)
        wanted = body.get("response_format") or {"type": "text"}
        return Asked(
            task=task[1] if task else "",
            system=system,
            user=user,
            data=read_data(user),
            mode=wanted["type"],
            schema=wanted["json_schema"]["schema"] if wanted["type"] == "json_schema" else None,
            corrections=sum(one["role"] == "assistant" for one in messages),
            stream=bool(body.get("stream")),
            body=body,
            headers={name.lower(): value for name, value in self.headers.items()},
        )

    def _answer(self, asked: Asked, fault: Fault | None) -> None:
        script = self.server.script
        wait = fault.wait if fault else 0.0
        if (wait or script.delay) and script.closing.wait(wait or script.delay):
            self.close_connection = True
            return
        if fault and fault.status != 200 and fault.body is not None:
            self._send(fault.status, fault.headers, fault.body)
            return
        if fault and fault.status != 200:
            self._send_error(fault.status, fault.message, fault.headers, fault.code)
            return
        for part in script.refused & {asked.mode, *asked.body}:
            self._send_error(400, _UNSUPPORTED.format(part), {})
            return
        text = script.text(asked)
        if text is None:
            self._send_error(404, f"no rule answers task {asked.task!r}", {})
            return
        if fault and fault.text:
            text = fault.text(text)
        finish = fault.finish if fault else "stop"
        usage = _usage(asked, text, script.cached_tokens) if fault is None or fault.usage else None
        if asked.stream:
            self._stream(asked, text, finish, usage, fault)
            return
        payload = (fault.body if fault else None) or json.dumps(
            {
                **self._head("chat.completion"),
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": finish,
                        "message": {"role": "assistant", "content": text, "refusal": script.refusal},
                    }
                ],
                **({"usage": usage} if usage else {}),
            }
        ).encode()
        headers = fault.headers if fault else {}
        self._send(200, headers, payload, fault.sent if fault else 1.0, fault.drip if fault else 0.0)

    def _stream(
        self, asked: Asked, text: str, finish: str, usage: Mapping[str, Any] | None, fault: Fault | None
    ) -> None:
        words = re.findall(r"\S+\s*|\s+", text)
        sent = words[: int(len(words) * fault.sent)] if fault else words
        events: list[dict[str, Any]] = [{"delta": {"role": "assistant", "content": ""}}]
        events += [{"delta": {"content": word}} for word in sent]
        if complete := len(sent) == len(words):
            events.append({"delta": {}, "finish_reason": finish})
        head = self._head("chat.completion.chunk")
        chunks = [{**head, "choices": [{"index": 0, "finish_reason": None, **one}]} for one in events]
        if complete and usage and (asked.body.get("stream_options") or {}).get("include_usage"):
            chunks.append({**head, "choices": [], "usage": usage})
        if fault and fault.sent == 0.0:
            self._hang_up()
            return
        if fault and fault.body is not None:
            self._send(
                200, {"content-type": "text/event-stream", **fault.headers}, fault.body, drip=fault.drip
            )
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for chunk in [json.dumps(one) for one in chunks] + ["[DONE]"] * complete:
            if chunk == "[DONE]":
                self._end()
            line = f"data: {chunk}\n\n".encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))
        if complete:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self._hang_up()

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 0, "model": self.server.script.model}

    def _send_error(
        self, status: int, message: str, headers: Mapping[str, str], code: str | None = None
    ) -> None:
        error = {"message": message, "type": "scripted", "code": code}
        self._send(status, headers, json.dumps({"error": error}).encode())

    def _send(
        self, code: int, headers: Mapping[str, str], payload: bytes, share: float = 1.0, drip: float = 0.0
    ) -> None:
        if share == 0.0:
            self._hang_up()
            return
        self.send_response(code)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(payload)))
        at_once = int(len(payload) * share) if not drip else 0
        self._headers_buffer.append(b"\r\n" + payload[:at_once])  # one write, one packet
        self._end()
        self.flush_headers()
        for byte in payload[at_once:] if drip else b"":
            self.wfile.write(bytes([byte]))
            if self.server.script.closing.wait(drip):
                self.close_connection = True
                return
        if share < 1.0:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        self._end()
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)


async def no_pause(seconds: float) -> None:
    """What clients of the server wait between two tries: retries come at once."""
    await asyncio.sleep(0)


def _usage(asked: Asked, text: str, cached: int) -> dict[str, Any]:
    prompt = sum(count_tokens(one["content"]) for one in asked.body["messages"])
    completion = count_tokens(text)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
