"""What an endpoint can do wrong, over real HTTP; pauses are recorded instead of slept."""

from __future__ import annotations

import itertools
import json
import pickle
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest

pytest.importorskip("httpx")
pytest.importorskip("tenacity")

from memspan.embed import OpenAIEmbedder
from memspan.embed.retry import retry_after_seconds
from memspan.errors import EmbedderAccessError, EmbedderError, InvalidArgumentError, MissingExtraError

SECRET = "sk-very-secret"


class Patient:
    """An embedder of dimension 4 and the pauses it made."""

    def __init__(self, url: str, **options: Any) -> None:
        self.pauses: list[float] = []
        defaults = {"api_key": SECRET, "dim": 4, "sleep": self.pauses.append, "retries": 3, "timeout": 20.0}
        self.embedder = OpenAIEmbedder("tiny", base_url=url, **{**defaults, **options})

    def __enter__(self) -> Patient:
        return self

    def __exit__(self, *_: object) -> None:
        self.embedder.close()

    def succeeds(self, server: Any) -> None:
        assert np.array_equal(self.embedder.embed_query("abc"), server.vector("abc"))

    def fails(self, message: str) -> EmbedderError:
        with pytest.raises(EmbedderError, match=message) as caught:
            self.embedder.embed_query("abc")
        everything = "".join(traceback.format_exception(caught.value)) + repr(caught.value.__cause__)
        assert SECRET not in everything
        error: BaseException | None = caught.value
        while error is not None:
            held = vars(error).values()
            assert not any(SECRET in repr(value) or hasattr(value, "headers") for value in held)
            error = error.__cause__ or error.__context__
        return caught.value


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"Retry_After": "7"}, 7.0),
        ({"Retry_After": "1.5"}, 1.5),
        ({"Retry_After_Ms": "250", "Retry_After": "9"}, 0.25),
        ({"Retry_After": "86400"}, 60.0),
        ({"Retry_After": formatdate(4e9, usegmt=True)}, 60.0),
    ],
)
def test_the_server_says_how_long_to_wait(server: Any, headers: dict[str, str], pause: float) -> None:
    server.queue(server.error(429, **headers))
    with Patient(server.url) as patient:
        patient.succeeds(server)
        assert patient.pauses == [pause]


def test_retry_after_is_read_in_all_its_forms() -> None:
    assert retry_after_seconds({"retry-after": formatdate(1030, usegmt=True)}, 1000.0) == 30.0
    for unreadable in ("", "soon", "nan", "inf", "Mon, 99 Foo 2020"):
        assert retry_after_seconds({"retry-after": unreadable}, 0.0) is None
    assert retry_after_seconds({}, 0.0) is None


@pytest.mark.parametrize(
    "date",
    [
        "Thu, 01 Jan 1970 00:17:10 -0000",
        "Thu, 01 Jan 1970 00:17:10",
        "Thu Jan  1 00:17:10 1970",
        "Thu, 01 Jan 1970 02:17:10 +0200",
    ],
)
def test_a_date_without_a_zone_is_gmt(date: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        assert retry_after_seconds({"retry-after": date}, 1000.0) == 30.0
    time.tzset()


@pytest.mark.parametrize("wait", ["soon", "0", "-5", formatdate(0, usegmt=True)])
def test_pauses_grow_within_bounds_when_the_server_names_none(server: Any, wait: str) -> None:
    """Nor is a pause of nothing one: all attempts would be over in a moment."""
    server.queue(*(server.error(503, Retry_After=wait) for _ in range(8)))
    with Patient(server.url, retries=8, longest_pause=4.0) as patient:
        patient.succeeds(server)
    assert len(patient.pauses) == 8
    for number, pause in enumerate(patient.pauses):
        assert 0.0 < pause <= min(4.0, 0.5 * 2**number)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_passing_failures_are_tried_again(server: Any, status: int) -> None:
    server.queue(server.error(status), server.error(status))
    with Patient(server.url) as patient:
        patient.succeeds(server)
        assert len(patient.pauses) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_refusals_are_not_tried_again(server: Any, status: int) -> None:
    server.queue(server.error(status, f"bad key {SECRET}"))
    with Patient(server.url) as patient:
        patient.fails(rf"{server.url}/embeddings: HTTP {status} .*bad key \*\*\*")
        assert patient.pauses == []


@pytest.mark.parametrize(
    ("location", "said"),
    [
        (
            f"https://localhost/{SECRET}?said=it",
            "HTTP 301 .*: points to 'https://localhost'; redirects are not followed$",
        ),
        ("/v2", "HTTP 301 .*: points to 'http://127.0.0.1'; redirects are not followed$"),
        ("mailto:a@b", "a redirect to what is no address"),
    ],
)
def test_redirects_are_not_followed(server: Any, location: str, said: str) -> None:
    server.queue(server.error(301, "moved", Location=location))
    with Patient(server.url) as patient:
        patient.fails(said)
        assert patient.pauses == []


@pytest.mark.parametrize(("status", "code"), [(401, ""), (402, ""), (429, "insufficient_quota")])
def test_a_key_or_an_account_that_is_refused(server: Any, status: int, code: str) -> None:
    said = {"error": {"message": "pay first", "code": code}}
    server.queue(server.body(json.dumps(said).encode(), status))
    with Patient(server.url) as patient:
        assert isinstance(patient.fails(f"HTTP {status} .*pay first"), EmbedderAccessError)
        assert patient.pauses == []
        patient.succeeds(server)


@pytest.mark.parametrize(
    "body", [b"", b"plain words", b'{"error": "text"}', b"[1]", b"\xff\xfe", b"[" * 100_000]
)
def test_errors_in_other_forms_are_quoted(server: Any, body: bytes) -> None:
    server.queue(server.body(body, 400))
    with Patient(server.url) as patient:
        assert len(str(patient.fails("HTTP 400 Bad Request"))) < 600


def test_a_page_is_told_by_its_title(server: Any) -> None:
    page = b"<html><head>\n<title>404 Not Found</title></head><body>" + b"x" * 5000
    server.queue(server.body(page, 404))
    with Patient(server.url) as patient:
        patient.fails("HTTP 404 Not Found: 'an HTML page, 404 Not Found'; is the address right[?]$")


def test_a_page_whose_title_does_not_end_is_told_at_once(server: Any) -> None:
    server.queue(server.body(b"<html><title>" + b" " * 2_500 + b"<body>", 404))
    started = time.process_time()
    with Patient(server.url) as patient:
        patient.fails("HTTP 404 Not Found: 'an HTML page'; is the address right[?]$")
    assert time.process_time() - started < 5


def test_giving_up_tells_how_often_and_why(server: Any) -> None:
    server.queue(*(server.error(500, "melting") for _ in range(4)))
    with Patient(server.url) as patient:
        error = patient.fails("HTTP 500 Internal Server Error: 'melting'; gave up after 4 attempts")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    server.queue(server.error(500))
    with Patient(server.url, retries=0) as patient:
        patient.fails("gave up after 1 attempt$")


def test_cut_garbled_and_missing_replies_are_tried_again(server: Any) -> None:
    server.queue(
        server.body(b'{"data": [{"ind', missing=500), server.body(b'{"data": [{"ind'), server.hang_up()
    )
    with Patient(server.url) as patient:
        patient.succeeds(server)
        assert len(patient.pauses) == 3


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda server: server.body(b'{"data": [', missing=500), "gave up after 2 attempts"),
        (lambda server: server.body(b'{"data": ['), r"reply of 10 bytes is not JSON .*after 2 attempts"),
        (lambda server: server.body(b"[" * 100_000), "not JSON"),
        (lambda server: server.body(b"x", Content_Encoding="gzip"), "gave up after 2 attempts"),
        (lambda server: server.hang_up(), "RemoteProtocolError.*gave up after 2 attempts"),
    ],
    ids=["cut", "truncated", "nested", "not-gzip", "hang-up"],
)
def test_lasting_transport_faults_end_in_an_error(server: Any, fault: Any, message: str) -> None:
    server.queue(fault(server), fault(server))
    with Patient(server.url, retries=1) as patient:
        patient.fails(message)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (lambda server: server.vectors(), "0 vectors for 1 texts"),
        (lambda server: server.vectors([1, 2, 3, 4], [1, 2, 3, 4]), "2 vectors for 1 texts"),
        (lambda server: server.vectors([1, 2, 3]), "dimension 3; expected 4"),
        (lambda server: server.vectors([1, 2, 3, float("nan")]), "NaN or infinity"),
        (lambda server: server.vectors([1, 2, 3, 1e39]), "NaN or infinity"),
        (lambda server: server.vectors([0, 0, 0, 0]), "only zeros"),
        (lambda server: server.vectors([1, 2, 3, None]), "NaN|not an array"),
        (lambda server: server.vectors([1, 2, 3, "x"]), "item 0 of the reply is not a list of numbers"),
        (lambda server: server.vectors([[1, 2, 3, 4]]), "shape"),
        (lambda server: server.vectors("AAAA AAAA"), "not base64"),
        (lambda server: server.vectors("AAAA"), "not base64 of float32"),
        (lambda server: server.vectors(7), "item 0 of the reply has no 'embedding'"),
        (lambda server: server.data([{"index": 1, "embedding": [1, 2, 3, 4]}]), "has index 1"),
        (lambda server: server.data([{"index": "0", "embedding": [1, 2, 3, 4]}]), "has index '0'"),
        (lambda server: server.data({"0": []}), "no list 'data'"),
        (lambda server: server.body(b"null"), "no list 'data'"),
        (lambda server: server.body(b'{"object": "list"}'), "no list 'data'"),
    ],
)
def test_unusable_vectors_are_errors_at_once(server: Any, reply: Any, message: str) -> None:
    server.queue(reply(server))
    with Patient(server.url) as patient:
        patient.fails(message)
        assert patient.pauses == []


def test_a_repeated_index_or_uneven_rows_are_errors(server: Any) -> None:
    row = [1, 2, 3, 4]
    server.queue(
        server.data([{"index": 1, "embedding": row}, {"index": 1, "embedding": row}]),
        server.vectors(row, row[:3]),
    )
    with Patient(server.url) as patient:
        for message in ("item 1 of the reply has index 1", r"dimensions \[3, 4\]"):
            with pytest.raises(EmbedderError, match=message):
                patient.embedder.embed_documents(["a", "b"])


def test_a_failed_batch_gives_no_vectors_at_all(server: Any) -> None:
    server.queue(server.good(), server.error(400))
    with Patient(server.url, batch=1) as patient, pytest.raises(EmbedderError, match="HTTP 400"):
        patient.embedder.embed_documents(["a", "b", "c"])
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_request_that_is_too_large_is_sent_in_halves(server: Any, status: int) -> None:
    texts = [f"text {number}" for number in range(9)]
    server.queue(server.error(status), server.error(status))
    with Patient(server.url, batch=6) as patient:
        vectors = patient.embedder.embed_documents(texts)
        assert np.array_equal(vectors, [server.vector(text) for text in texts])
        assert patient.pauses == []
    # What was too large is not tried again.
    assert [len(request.payload["input"]) for request in server.requests] == [6, 3, 1, 2, 3, 1, 1, 1]


def refusing(server: Any, refused: Callable[[list[str]], bool], status: int) -> None:
    """Answer the next thousand requests properly, but for these."""

    def reply(handler: Any, request: Any) -> None:
        answer = server.error(status) if refused(request.payload["input"]) else server.good()
        answer(handler, request)

    server._script.extend([reply] * 1000)


@pytest.mark.parametrize("status", [400, 422])
def test_the_size_that_a_server_takes_is_found(server: Any, status: int) -> None:
    texts = [f"text {number}" for number in range(600)]
    refusing(server, lambda sent: len(sent) > 20, status)
    with Patient(server.url) as patient:
        vectors = patient.embedder.embed_documents(texts)
    server._script.clear()
    assert np.array_equal(vectors, [server.vector(text) for text in texts])
    asked = [len(request.payload["input"]) for request in server.requests]
    assert len([size for size in asked if size > 20]) == 7  # of 128: once 128, twice 64, four times 32


@pytest.mark.parametrize("bad", [0, 77, 127])
def test_a_text_that_is_refused_is_found_in_few_requests(server: Any, bad: int) -> None:
    texts = [f"text {number}" for number in range(300)]
    refusing(server, lambda sent: texts[bad] in sent, 400)
    with Patient(server.url) as patient:
        with pytest.raises(EmbedderError, match="HTTP 400"):
            patient.embedder.embed_documents(texts)
        asked = [request.payload["input"] for request in server.requests]
        assert asked[-1] == [texts[bad]]
        assert len(asked) <= 1 + 2 * 7
        server.requests.clear()
        patient.embedder.embed_documents(texts[128:])
        assert [len(request.payload["input"]) for request in server.requests] == [128, 44], (
            "its size was not to blame"
        )
    server._script.clear()


@pytest.mark.parametrize(("status", "most"), [(400, 8), (401, 1), (403, 1), (404, 1), (422, 8)])
def test_a_refusal_of_everything_makes_no_storm(server: Any, status: int, most: int) -> None:
    refusing(server, lambda sent: True, status)
    with Patient(server.url) as patient, pytest.raises(EmbedderError, match=f"HTTP {status}"):
        patient.embedder.embed_documents([f"text {number}" for number in range(1000)])
    server._script.clear()
    assert len(server.requests) == most


def test_a_silent_server_times_out(server: Any) -> None:
    server.queue(server.hang(), server.hang())
    with Patient(server.url, timeout=0.05, retries=1) as patient:
        patient.fails(r"no answer within 0.05 s \(ReadTimeout\); gave up after 2 attempts")


def test_a_reply_that_never_ends_times_out(server: Any) -> None:
    clock = itertools.count(0.0, 100.0)
    with Patient(server.url, retries=0, clock=lambda: next(clock)) as patient:
        patient.fails("reply was not complete after 20 s")


def test_headers_that_never_end_time_out(server: Any) -> None:
    server.queue(server.drip_headers())
    with Patient(server.url, timeout=1, retries=0) as patient:
        patient.fails(r"no answer within 1 s \(ReadTimeout\); gave up after 1 attempt")


def test_a_closed_embedder_says_so(server: Any) -> None:
    with Patient(server.url) as patient:
        patient.succeeds(server)
    patient.fails("the embedder is closed")


def test_a_huge_reply_is_refused(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.embed.endpoint._MAX_REPLY", 1 << 20)
    server.queue(server.body(b" " * ((1 << 20) + 1)))
    with Patient(server.url) as patient:
        patient.fails("larger than 1 MiB")


def test_no_error_leads_to_the_request(server: Any) -> None:
    headers = {"api-key": SECRET}
    with Patient("http://127.0.0.1:9/v1", headers=headers, retries=0) as patient:
        patient.fails("ConnectError")
    with Patient(server.url, headers=headers, retries=0, timeout=1) as patient:
        server.queue(server.hang())
        patient.fails("ReadTimeout")
    with Patient(server.url, headers=headers, retries=0) as patient:
        server.queue(server.hang_up(), server.body(b"not compressed at all", Content_Encoding="gzip"))
        patient.fails("RemoteProtocolError")
        patient.fails("DecodingError")
        server.queue(server.body(f"You sent {SECRET}".encode()))
        patient.fails("not JSON")


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"headers": {"Authorization": f"Bearer {SECRET}"}}, r"no list 'data': .*\*\*\*"),
        ({"x": "y" * 58, "key": SECRET}, "no list 'data'"),  # cut in the middle of the secret
        ({"data": [{"embedding": [1.0], "index": SECRET}]}, r"index '\*\*\*'"),
        ({"data": [{"embedding": [SECRET, 1.0]}]}, "item 0 of the reply is not a list of numbers"),
        ({"data": [{"embedding": [10**400, 1.0]}]}, "item 0 of the reply is not a list of numbers"),
        ({"data": [{"embedding": SECRET}]}, "item 0 of the reply is not base64"),
    ],
)
def test_a_reply_that_says_what_was_sent_is_not_quoted(server: Any, reply: Any, message: str) -> None:
    with Patient(server.url, retries=0) as patient:
        server.queue(server.body(json.dumps(reply).encode()))
        error = patient.fails(message)
        assert SECRET[:8] not in str(error)


ENDING = """
import sys, time
from memspan.embed import OpenAIEmbedder
from memspan.remember.jobs.loop import LoopThread
from memspan.base.worker_threads import in_worker
embedder = OpenAIEmbedder("tiny", base_url=sys.argv[1], dim=4, longest_pause=600.0)
LoopThread().call(in_worker(embedder.embed_query, "abc")).begin()
sys.stdin.readline()
"""


def test_the_end_of_a_program_waits_for_no_pause(server: Any) -> None:
    told = threading.Event()

    def later(handler: Any, request: Any) -> None:
        server.error(503, Retry_After="600")(handler, request)
        told.set()

    server.queue(later)
    with subprocess.Popen([sys.executable, "-c", ENDING, server.url], stdin=subprocess.PIPE) as program:
        try:
            assert told.wait(60)
            time.sleep(0.5)  # it has read the answer
            program.communicate(b"end\n", timeout=60)
        finally:
            program.kill()
    assert program.returncode == 0


def test_a_dead_server_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with Patient(url, retries=2) as patient:
            patient.fails(f"{url}/embeddings: ConnectError: .*gave up after 3 attempts")
            assert len(patient.pauses) == 2


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "socks4://me:secret@127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used_is_an_error_of_ours(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", proxy)
    with Patient("http://127.0.0.1:9/v1", retries=0) as patient:
        with pytest.raises(MissingExtraError, match="a proxy that cannot be used.*httpx") as raised:
            patient.embedder.embed_query("abc")
        assert "secret" not in str(raised.value)


def test_certificates_that_are_not_there_are_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    with pytest.raises(EmbedderError, match=r"certificates .*\(SSL_CERT_FILE, SSL_CERT_DIR\) cannot be read"):
        OpenAIEmbedder("tiny", base_url="http://127.0.0.1:9/v1")


def test_secrets_are_never_shown(server: Any) -> None:
    with Patient(server.url, headers={"X-Token": "hidden-token"}) as patient:
        assert SECRET not in repr(patient.embedder)
        assert "hidden-token" not in repr(patient.embedder)
        server.queue(server.error(400, f"got {SECRET} and hidden-token"))
        assert "hidden-token" not in str(patient.fails(r"got \*\*\* and \*\*\*"))
    for headers in ({"Authorization": f"Bearer {SECRET}"}, {"X-Token": SECRET[:5], "X-Other": SECRET}):
        with Patient(server.url, headers=headers, api_key=None, retries=0) as patient:
            server.queue(server.error(400, f"{' ' * 292}got {SECRET}"))
            patient.fails("HTTP 400")
            server.queue(server.error(400, f"got {SECRET}"))
            patient.fails(r"got \*\*\*'$")
    refused: list[dict[str, Any]] = [
        {"api_key": f"{SECRET}\nX: y"},
        {"api_key": f"{SECRET}é"},
        {"headers": {"X-Token": f"{SECRET}\r\n"}},
        {"base_url": f"http://user:{SECRET}@127.0.0.1/v1"},
        {"base_url": f"http://127.0.0.1/v1?api-key={SECRET}"},
    ]
    for options in refused:
        with pytest.raises(InvalidArgumentError) as caught:
            OpenAIEmbedder("tiny", **{"base_url": server.url, **options})
        assert SECRET not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "This model's maximum context length is 8192 tokens, however you requested 9001 tokens"),
        (413, "Input validation error: `inputs` must have less than 512 tokens. Given: 600"),
        (422, "Input text exceeds maximum length of 8192"),
        (500, "input (518 tokens) is too large to process. increase the physical batch size"),
    ],
)
def test_a_text_that_is_too_long_is_cut(
    server: Any, status: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    texts = ["short", "x" * 1000, "short, too"] + [f"text {number}" for number in range(5)]

    def reply(handler: Any, request: Any) -> None:
        long = any(len(text) > 300 for text in request.payload["input"])
        (server.error(status, said) if long else server.good())(handler, request)

    server._script.extend([reply] * 1000)
    with Patient(server.url, batch=4) as patient:
        vectors = patient.embedder.embed_documents(texts)
        asked = [len(request.payload["input"]) for request in server.requests]
        assert np.array_equal(vectors, [server.vector(text[:250]) for text in texts])
        assert patient.embedder.embed_documents(texts[1:2])[0][0] == 250
    server._script.clear()
    assert asked == [4, 2, 1, 1, 1, 1, 2, 4], "smaller batches would help nobody"
    assert caplog.text.count("takes no text of") == 1
