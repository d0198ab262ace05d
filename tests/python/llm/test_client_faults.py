"""Servers that misbehave: what is tried again, what is an error, and that a good reply follows."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from llm_faults import FAULTS, Fault, slow, status
from pydantic import BaseModel
from scripted_llm import ScriptedLLM, no_pause

from memspan.embed.wrong_address import address_hint
from memspan.errors import BadReplyError, LLMError, MissingExtraError, ModelAccessError, TruncatedReplyError
from memspan.llm import OpenAIModel, Prompt
from memspan.llm.reading import read_object

TRANSIENT = [
    status(408),
    status(409),
    status(429),
    status(500),
    status(503),
    *(FAULTS[name] for name in ("hang up", "hang up in the middle", "no json", "no choices")),
    Fault(name="error with status 200", body=b'{"error": {"code": 502, "message": "upstream"}}'),
    Fault(name="late with status 200", body=b'{"error": {"code": 408, "message": "upstream"}}'),
    Fault(
        name="error of a choice", body=b'{"choices": [{"error": {"code": 502}, "message": {"content": ""}}]}'
    ),
    Fault(name="a list", body=b"[]"),
    Fault(name="no message", body=b'{"choices": [{"index": 0}]}'),
]


class Items(BaseModel):
    items: list[str]


@pytest.mark.parametrize("fault", TRANSIENT, ids=lambda fault: fault.name)
def test_what_may_go_away_is_tried_again(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, clock: Any, fault: Fault
) -> None:
    server.misbehave(fault, fault)

    reply = model.complete(prompt, Items, stage="test")

    assert reply.value == Items(items=["A", "B"])
    assert reply.usage.calls == 1
    assert len(server.asked) == 3
    assert len(clock.slept) == 2


@pytest.mark.parametrize("fault", TRANSIENT, ids=lambda fault: fault.name)
def test_what_does_not_go_away_is_an_error_at_last(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, fault: Fault
) -> None:
    server.misbehave(fault, fault, fault)

    with pytest.raises(LLMError, match=rf"{server.url}: .*; gave up after 3 attempts") as raised:
        model_of(server, retries=2).complete(prompt, Items, stage="test")

    assert raised.value.usage is None


@pytest.mark.parametrize(
    ("headers", "pauses"),
    [({"retry_after": "7"}, [7]), ({"retry_after_ms": "1500"}, [1.5]), ({"retry_after": "900"}, [60])],
)
def test_the_server_says_how_long_to_wait(
    model: OpenAIModel,
    server: ScriptedLLM,
    prompt: Prompt,
    clock: Any,
    headers: dict[str, str],
    pauses: list[float],
) -> None:
    server.misbehave(status(429, **headers))

    model.complete(prompt, Items, stage="test")

    assert clock.slept[:1] == pauses


def test_pauses_grow_and_are_bounded(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, clock: Any
) -> None:
    server.misbehave(*[status(500)] * 12)

    model_of(server, retries=12, longest_pause=4.0).complete(prompt, Items, stage="test")

    bounds = [min(0.5 * 2**attempt, 4.0) for attempt in range(12)]
    assert all(0 <= slept <= bound for slept, bound in zip(clock.slept, bounds, strict=True))


def test_a_spent_quota_is_not_waited_for(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    server.misbehave(
        Fault(name="quota", status=429, code="insufficient_quota", message="You exceeded your quota")
    )

    with pytest.raises(LLMError, match="You exceeded your quota"):
        model.complete(prompt, Items, stage="test")

    assert len(server.asked) == 1


def test_an_answer_that_was_cut_off_asks_for_less(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.misbehave(FAULTS["truncated"])

    with pytest.raises(TruncatedReplyError, match="summarise: .*cut off") as raised:
        model.complete(prompt, Items, stage="summarise")

    assert raised.value.usage is not None
    assert raised.value.usage.completion_tokens > 0
    assert len(server.asked) == 1


def test_an_answer_that_ends_too_early_twice_asks_for_less(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    early = Fault(name="early", text=lambda text: text[:-4])
    server.misbehave(early, early)

    with pytest.raises(TruncatedReplyError, match="ends in the middle"):
        model.complete(prompt, Items, stage="test")

    assert len(server.asked) == 2


@pytest.mark.parametrize("fault", [FAULTS["filtered"], Fault(name="", status=400, code="content_filter")])
def test_a_filtered_answer_is_a_bad_one(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, fault: Fault
) -> None:
    server.misbehave(fault)

    with pytest.raises(BadReplyError):
        model.complete(prompt, Items, stage="test")

    assert len(server.asked) == 1


def test_a_slow_server_is_given_up(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    server.schedule = lambda asked, number: slow(60)

    with pytest.raises(LLMError, match=r"within 0\.2 s; gave up after 2 attempts"):
        model_of(server, timeout=0.2, retries=1).complete(prompt, Items, stage="test")


def test_a_server_that_hangs_does_not_keep_each_of_many_waiting(server: ScriptedLLM, prompt: Prompt) -> None:
    server.schedule = lambda asked, number: slow(60)
    later = 0.0

    async def ask_many(model: OpenAIModel) -> list[Any]:
        asked = (model.acomplete(prompt, Items, stage="test") for _ in range(20))
        return await asyncio.gather(*asked, return_exceptions=True)

    with OpenAIModel(
        "small", base_url=server.url, timeout=0.2, sleep=no_pause, clock=lambda: monotonic() + later
    ) as model:
        failures = asyncio.run(ask_many(model))
        assert {type(failure) for failure in failures} == {LLMError}
        assert "not asked, for 6 requests in a row had no answer within 0.2 s" in " ".join(map(str, failures))
        assert len(server.asked) < 60  # of 120
        server.schedule = lambda asked, number: None
        for _ in range(50):
            later += 1.0  # so long it is not asked
            with suppress(LLMError):  # a machine may be slow
                assert model.complete(prompt, Items, stage="test").value == Items(items=["A", "B"])
                break
        else:
            pytest.fail("it is not asked any more")


def test_a_server_that_drips_is_given_up(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    server.schedule = lambda asked, number: Fault(name="drips", drip=0.05)

    with pytest.raises(LLMError, match=r"no (complete )?answer within 0\.3 s; gave up after 1 attempt"):
        model_of(server, timeout=0.3, retries=0).complete(prompt, Items, stage="test")


def test_a_reply_without_end_is_refused(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memspan.llm.whole_reply.MAX_REPLY_BYTES", 1 << 20)
    server.misbehave(Fault(name="large", body=b'"' + b"x" * (2 << 20) + b'"'))

    with pytest.raises(LLMError, match="larger than 1 MiB"):
        model.complete(prompt, Items, stage="test")


def test_a_reply_of_very_many_values_is_refused(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.misbehave(Fault(name="many", body=b"[" + b"1," * 1_000_000 + b"1]"))

    with pytest.raises(LLMError, match="the reply holds more than 1,000,000 values"):
        model.complete(prompt, Items, stage="test")

    assert len(server.asked) == 1


def test_long_replies_hold_up_no_others(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in: list[str] = []

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:
            read_in.append(threading.current_thread().name)
            return function(*given)

        return run

    monkeypatch.setattr("memspan.llm.asking.read_object", noted(read_object))
    monkeypatch.setattr("memspan.llm.whole_reply.json", SimpleNamespace(loads=noted(json.loads)))

    assert model.complete(prompt, Items, stage="test").value == Items(items=["A", "B"])
    assert set(read_in) == {"memspan-llm"}, "the loop of all models"
    read_in.clear()
    server.reply("shout", {"items": ["word"] * 20_000})
    assert len(model.complete(prompt, Items, stage="test").value.items) == 20_000
    assert len(read_in) == 2
    assert "memspan-llm" not in read_in


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "socks4://me:secret@127.0.0.1:9"])
def test_a_proxy_that_cannot_be_used_is_an_error_of_ours(
    model: OpenAIModel, prompt: Prompt, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", proxy)
    for ask in (
        lambda: model.complete(prompt, Items, stage="test"),
        lambda: list(model.astream(prompt, stage="test")),
    ):
        with pytest.raises(MissingExtraError, match="a proxy that cannot be used.*httpx") as raised:
            ask()
        assert "secret" not in str(raised.value)


def test_certificates_that_are_not_there_are_an_error_of_ours(
    model: OpenAIModel, prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")
    with pytest.raises(LLMError, match=r"certificates .*\(SSL_CERT_FILE, SSL_CERT_DIR\) cannot be read"):
        model.complete(prompt, Items, stage="test")


def test_nobody_there(model_of: Callable[..., OpenAIModel], prompt: Prompt) -> None:
    with ScriptedLLM() as gone:
        pass

    with pytest.raises(LLMError, match=rf"{gone.url}: no connection \(ConnectError: .*\); gave up after 2"):
        model_of(gone, retries=1).complete(prompt, Items, stage="test")


def test_a_page_in_place_of_an_answer_is_told(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    page = Fault(
        name="page", body=b"<html>Welcome</html>", headers={"content-type": "text/html; charset=utf-8"}
    )
    server.misbehave(page, page)
    model = model_of(server, retries=0)

    with pytest.raises(LLMError, match="20 bytes is not JSON but HTML, is the address right"):
        model.complete(prompt, Items, stage="test")
    with pytest.raises(LLMError, match="no stream of events but HTML, is the address right"):
        list(model.astream(prompt, stage="test"))
    assert isinstance(model.complete(prompt, Items, stage="test").value, Items)


PAGE = b"<!DOCTYPE HTML>\n<html><head><title>404 Not Found</title></head><body><h1>404</h1></body></html>"


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        (PAGE, 404, r"'an HTML page, 404 Not Found'; is the address right\?$"),
        (PAGE.replace(b"404 Not Found", b"502 Bad Gateway"), 502, "'an HTML page, 502 Bad Gateway'; gave up"),
        (b"404 page not found", 404, r"'404 page not found'; is the address right\?$"),
        (b'{"error": {"message": "model \'small\' not found"}}', 404, 'not found"$'),
    ],
)
def test_a_server_that_does_not_know_the_address(
    model_of: Callable[..., OpenAIModel],
    server: ScriptedLLM,
    prompt: Prompt,
    body: bytes,
    code: int,
    said: str,
) -> None:
    html = {"content-type": "text/html"} if body.startswith(b"<") else {}
    server.misbehave(*[Fault(name="page", status=code, body=body, headers=html)] * (3 if code == 404 else 1))
    with pytest.raises(LLMError, match=f"HTTP {code}: .*{said}"):
        model_of(server, retries=0).complete(prompt, Items, stage="test")


def test_most_addresses_end_with_v1() -> None:
    assert address_hint("http://a:8080", 404, "").endswith("of most servers ends with /v1")
    assert address_hint("http://a:8080/v1", 405, "") == "; is the address right?"
    assert address_hint("http://a:8080", 400, "") == ""


def test_why_there_is_no_connection_is_told(server: ScriptedLLM, prompt: Prompt) -> None:
    url = server.url.replace("http:", "https:")
    with (
        OpenAIModel("small", base_url=url, retries=0, api_key_variable=None) as model,
        pytest.raises(LLMError, match=r"no connection \(ConnectError: .*SSL"),
    ):
        model.complete(prompt, Items, stage="test")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 402, "message": "no credit"}, ModelAccessError),
        ({"code": "402", "message": "no credit"}, ModelAccessError),
        ({"code": "insufficient_quota", "message": "no credit"}, ModelAccessError),
        ({"code": "content_filter", "message": "no credit"}, BadReplyError),
        ({"code": "context_length_exceeded", "message": "no credit"}, TruncatedReplyError),
    ],
)
@pytest.mark.parametrize("place", ["reply", "choice"])
def test_a_gateway_error_that_would_come_again(
    model: OpenAIModel,
    server: ScriptedLLM,
    prompt: Prompt,
    error: dict[str, Any],
    kind: type[LLMError],
    place: str,
) -> None:
    message = {"content": ""}
    reply = {"error": error} if place == "reply" else {"choices": [{"error": error, "message": message}]}
    server.misbehave(Fault(name="gateway", body=json.dumps(reply).encode()))

    with pytest.raises(LLMError, match="no credit") as raised:
        model.complete(prompt, Items, stage="test")

    assert type(raised.value) is kind
    assert len(server.asked) == 1


LIMIT = "This model's maximum context length is 4096 tokens."


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    "reply",
    [
        {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}}}
        for raw in (LIMIT, {"message": LIMIT}, json.dumps({"error": {"message": LIMIT, "code": 400}}))
    ],
    ids=["text", "object", "JSON"],
)
def test_a_gateway_tells_what_the_server_behind_it_says(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, reply: Any, status: int
) -> None:
    server.misbehave(Fault(name="gateway", status=status, body=json.dumps(reply).encode()))

    with pytest.raises(TruncatedReplyError, match="Provider returned error: This model's maximum context"):
        model.complete(prompt, Items, stage="test")


def test_an_error_in_a_list_is_told(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    """As Google writes it."""
    body = json.dumps([{"error": {"code": 404, "message": "no such model", "status": "NOT_FOUND"}}]).encode()
    server.misbehave(*[Fault(name="list", status=404, body=body)] * 3)

    with pytest.raises(LLMError, match="HTTP 404: 'no such model'"):
        model.complete(prompt, Items, stage="test")


def test_an_error_that_is_no_object_is_told(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    server.misbehave(Fault(name="gateway", body=b'{"error": "the model is being loaded"}'))

    with pytest.raises(LLMError, match="is being loaded"):
        model_of(server, retries=0).complete(prompt, Items, stage="test")


MINUTE = (
    "Request too large for small in organization o on tokens per min (TPM): Limit 30000, Requested 45000."
)


@pytest.mark.parametrize(
    "fault", [status(413), Fault(name="minute", status=429, message=MINUTE, code="rate_limit_exceeded")]
)
def test_a_request_that_is_too_large_is_to_be_made_smaller(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, fault: Fault
) -> None:
    server.misbehave(fault, fault)

    with pytest.raises(TruncatedReplyError, match="does not fit"):
        model.complete(prompt, Items, stage="test")
    with pytest.raises(TruncatedReplyError, match="does not fit"):
        list(model.astream(prompt, stage="test"))
