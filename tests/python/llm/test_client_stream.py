"""Answers in free text, as they come."""

from __future__ import annotations

import asyncio
import gc
import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from llm_faults import FAULTS, Fault, slow, status
from pydantic import BaseModel
from scripted_llm import ScriptedLLM
from waiting import wait_for

from memspan.errors import BadReplyError, LLMError, ModelAccessError, TruncatedReplyError
from memspan.llm import OpenAIModel, Prices, Prompt, Usage, chat_endpoint
from memspan.llm.stream_event import read_event

ANSWER = "Ana said on 8 May that she had moved to Lisbon."


class Said(BaseModel):
    text: str


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM({"shout": lambda asked: ANSWER}) as running:
        yield running
        running.check()


def test_pieces_make_the_answer_then_its_cost_is_known(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    stream = model_of(server, prices=Prices(prompt=1, completion=1)).astream(prompt, stage="answer")

    async def run() -> list[str]:
        return [piece async for piece in stream]

    pieces = asyncio.run(run())

    assert "".join(pieces) == ANSWER
    assert stream.model == "scripted-1"
    assert not stream.truncated
    assert (stream.usage.calls, stream.usage.uncounted) == (1, 0)
    assert stream.usage.completion_tokens == 12
    assert stream.usage.price == (stream.usage.prompt_tokens + 12) / 1e6


def test_threads_without_a_loop_can_read_too(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    stream = model.astream(prompt, stage="answer")

    assert "".join(stream) == ANSWER
    assert list(stream) == []
    assert stream.usage.calls == 1


def whole(body: bytes) -> Fault:
    return Fault(name="no stream", body=body, headers={"content-type": "application/json; charset=utf-8"})


def test_a_server_that_does_not_stream_is_heard_at_once(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    choice = {"finish_reason": "length", "message": {"role": "assistant", "content": ANSWER}}
    usage = {"prompt_tokens": 5, "completion_tokens": 7}
    reply = {"model": "cached-1", "choices": [choice], "usage": usage}
    server.misbehave(whole(b"[not JSON"), whole(json.dumps(reply).encode()))
    stream = model.astream(prompt, stage="answer")

    assert list(stream) == [ANSWER]
    assert (stream.model, stream.truncated) == ("cached-1", True)
    assert (stream.usage.prompt_tokens, stream.usage.completion_tokens) == (5, 7)
    assert len(server.asked) == 2


def test_what_a_server_that_does_not_stream_refuses_is_not_asked_again(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.misbehave(whole(b'{"error": {"message": "no money left", "code": "insufficient_quota"}}'))

    with pytest.raises(LLMError, match="no money left"):
        list(model.astream(prompt, stage="answer"))
    assert len(server.asked) == 1


@pytest.mark.parametrize("fault", [status(503), FAULTS["hang up"], status(429, retry_after="3")])
def test_failures_before_the_first_piece_are_tried_again(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, clock: Any, fault: Fault
) -> None:
    server.misbehave(fault)

    assert "".join(model.astream(prompt, stage="answer")) == ANSWER
    assert clock.slept


def test_a_connection_that_breaks_in_the_middle_is_an_error_after_what_came(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.misbehave(FAULTS["hang up in the middle"])
    pieces: list[str] = []

    with pytest.raises(LLMError, match="the answer broke off") as raised:
        pieces.extend(model.astream(prompt, stage="answer"))

    assert ANSWER.startswith("".join(pieces))
    assert pieces
    assert raised.value.usage is not None
    assert raised.value.usage.calls == raised.value.usage.uncounted == 1
    assert "".join(model.astream(prompt, stage="answer")) == ANSWER


ODD = (
    b'data: {"choices": [{"delta": {"content": "so "}}], "usage": {"prompt_tokens": "many"}}\n\n'
    b': ping\n\ndata: 17\n\ndata: {"choices": "none"}\n\ndata: {"choices": [3]}\n\n'
    b'data: {"choices": [{"delta": "x", "index": "y"}]}\n\ndata: {"choices": [{"delta": {"content": [1]}}]}\n\n'
    b'data: {"choices": [{"delta": {"content": "it is"}, "finish_reason": "odd"}]}\n\ndata: [DONE]\n\n'
)


def test_odd_events_are_passed_over(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    server.misbehave(Fault(name="odd", body=ODD))
    stream = model.astream(prompt, stage="answer")

    assert "".join(stream) == "so it is"
    assert (stream.usage.calls, stream.usage.uncounted) == (1, 1)
    assert stream.model == "small"


def test_an_emoji_in_two_pieces_is_whole(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    pieces = ["so \ud83d", "\ude00\ud83d", "", "x\ude00 ", "\ud83d"]
    events = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in (*events, end))
    server.misbehave(Fault(name="halves", body=body.encode()))

    assert "".join(model.astream(prompt, stage="answer")) == "so \U0001f600\ufffdx\ufffd \ufffd"


@pytest.mark.parametrize(
    "alive",
    [b"event: ping\n\n", b"retry: 3000\n\n", b"id: 7\n\n", b"data:\n\n", b"event: ping\r\ndata: \r\n\r\n"],
)
def test_events_without_data_are_passed_over(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, alive: bytes
) -> None:
    """As gateways send them to keep a connection alive."""
    said = b'data: {"choices": [{"delta": {"content": "it is"}, "finish_reason": "stop"}]}\n\n'
    server.misbehave(Fault(name="alive", body=alive + said + alive + COST + alive + b"data: [DONE]\n\n"))
    stream = model.astream(prompt, stage="answer")

    assert "".join(stream) == "it is"
    assert (stream.usage.prompt_tokens, stream.usage.completion_tokens) == (5, 1)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "body",
    [
        b'data: {"choices": [{"delta": {"content": "so"}}]}\n\n',
        b'data: {"choices": [{"delta": {"content": "data: [DONE]"}}]}\n\n',
        b'data: {"choices": [{"delta": {"content": "so"}}]}\n\ndata: {"choices": [], "x": "data: [DONE]"}\n\n',
        b'data: {"choices": [{"delta": {"content": "so"}}]}\n\ndata: {"error": {"message": "gone"}}\n\n',
        b'data: {"choices": [{"delta": {"content": "so"}}]}\n\ndata: {"choices"\n\n',
        b'data: {"choices": [{"delta": {"content": "so"}}]}\n\ndata: {"choices": "\xff\xfe"}\n\n',
        b'data: {"choices": [{"delta": {"content": "so"}}]}\n\ndata: ' + b"[" * 100_000 + b"\n\n",
    ],
)
def test_streams_that_end_too_early_are_errors(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, body: bytes
) -> None:
    server.misbehave(Fault(name="early", body=body))

    with pytest.raises(LLMError, match="broke off"):
        list(model.astream(prompt, stage="answer"))


@pytest.mark.parametrize("finish", ['"finish_reason": null', '"finish_reason": ""', '"index": 0'])
@pytest.mark.parametrize("end", [b"data: [DONE]\n\n", b"data:[DONE]\r\n\r\n", b"data: [DONE]"])
def test_a_stream_that_is_closed_without_a_reason_is_whole(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, finish: str, end: bytes
) -> None:
    """As servers send that stand before another one and leave out its last event."""
    body = f'data: {{"choices": [{{"delta": {{"content": "it is"}}, {finish}}}]}}\n\n'.encode() + end
    server.misbehave(Fault(name="no reason", body=body))
    stream = model.astream(prompt, stage="answer")

    assert "".join(stream) == "it is"
    assert not stream.truncated
    assert len(server.asked) == 1


def test_a_stream_that_is_closed_without_an_answer_is_asked_for_again(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.misbehave(Fault(name="nothing", body=b"data: [DONE]\n\n"))

    assert "".join(model.astream(prompt, stage="answer")) == ANSWER


def test_an_answer_that_was_cut_off_says_so(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    server.misbehave(FAULTS["truncated"])
    stream = model.astream(prompt, stage="answer")

    assert ANSWER.startswith("".join(stream))
    assert stream.truncated


def test_thoughts_are_no_part_of_the_answer(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    server.reply("shout", f"<think>\nWhat did she say?\n</think>\n\n{ANSWER}")

    assert "".join(model.astream(prompt, stage="answer")) == ANSWER


THOUGHT = b'data: {"choices": [{"delta": {"content": "<think>Well"}, "finish_reason": "length"}]}\n\n'
REFUSED = b'data: {"choices": [{"delta": {"refusal": "No."}, "finish_reason": "stop"}]}\n\n'
COST = b'data: {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}\n\n'


@pytest.mark.parametrize(
    ("fault", "kind", "reason"),
    [
        (Fault(name="refused", body=REFUSED + COST), BadReplyError, "refused to answer"),
        (Fault(name="only thought", body=THOUGHT + COST), TruncatedReplyError, "cut off"),
        (FAULTS["filtered"], BadReplyError, "content filter"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_an_answer_that_was_not_given_is_an_error(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, fault: Fault, kind: type[LLMError], reason: str
) -> None:
    server.misbehave(fault)

    with pytest.raises(LLMError, match=f"answer: model 'small': .*{reason}") as raised:
        list(model.astream(prompt, stage="answer"))

    assert type(raised.value) is kind
    assert raised.value.usage is not None
    assert raised.value.usage.prompt_tokens > 0
    assert len(server.asked) == 1


def test_a_server_without_usage_in_streams(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    server.refused = {"stream_options"}

    for _ in range(2):
        stream = model.astream(prompt, stage="answer")
        assert "".join(stream) == ANSWER
        assert stream.usage.uncounted == 1

    assert ["stream_options" in asked.body for asked in server.asked] == [True, False, False]


def test_refusals_and_prompts_that_do_not_fit(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.misbehave(status(401), Fault(name="long", status=400, code="context_length_exceeded"))

    with pytest.raises(LLMError, match="HTTP 401"):
        list(model.astream(prompt, stage="answer"))
    with pytest.raises(TruncatedReplyError, match="does not fit"):
        list(model.astream(prompt, stage="answer"))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("insufficient_quota", ModelAccessError),
        (402, ModelAccessError),
        (451, LLMError),
        ("context_length_exceeded", TruncatedReplyError),
    ],
)
def test_an_event_with_an_error_that_would_come_again_ends_the_stream(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, code: Any, kind: type[LLMError]
) -> None:
    event = json.dumps({"error": {"message": "that is too much", "code": code}})
    server.misbehave(Fault(name="event", body=f"data: {event}\n\n".encode()))

    with pytest.raises(LLMError, match="that is too much") as raised:
        list(model.astream(prompt, stage="answer"))

    assert type(raised.value) is kind
    assert len(server.asked) == 1


def test_a_slow_server_is_given_up(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    server.schedule = lambda asked, number: slow(60)

    with pytest.raises(LLMError, match=r"no answer within 0\.2 s; gave up after 1 attempt"):
        list(model_of(server, timeout=0.2, retries=0).astream(prompt, stage="answer"))


EMPTY = b'data: {"choices": [{"delta": {"role": "assistant", "content": ""}}]}\n\n'


@pytest.mark.parametrize("body", [b": ping\n\n" * 1000, EMPTY * 100], ids=["comments", "empty"])
def test_a_server_that_says_nothing_for_ever_is_given_up(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, body: bytes
) -> None:
    server.misbehave(Fault(name="nothing", body=body, drip=0.0005))

    with pytest.raises(LLMError, match=r"no answer within 0\.3 s; gave up after 1 attempt"):
        list(model_of(server, timeout=0.3, retries=0).astream(prompt, stage="answer"))


THINKING = (
    b'data: {"choices": [{"delta": {"content": "<think>"}}]}\n\n'
    + 100 * b'data: {"choices": [{"delta": {"content": "hm"}}]}\n\n'
)
REASONING = 100 * b'data: {"choices": [{"delta": {"reasoning_content": "hm"}}]}\n\n'


@pytest.mark.parametrize("body", [THINKING, REASONING], ids=["in the answer", "apart"])
def test_a_model_that_thinks_for_ever_is_given_up(
    model_of: Callable[..., OpenAIModel],
    server: ScriptedLLM,
    prompt: Prompt,
    body: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chat_endpoint, "_THINKING", 0.1)
    server.misbehave(Fault(name="circles", body=body, drip=0.0005))

    with pytest.raises(LLMError, match=r"the model thought for 1 s without an answer") as raised:
        list(model_of(server, timeout=10, retries=2).astream(prompt, stage="answer"))

    assert raised.value.usage == Usage(calls=1, uncounted=1)
    assert len(server.asked) == 1


def test_a_server_that_falls_silent_breaks_off(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    begun = b'data: {"choices": [{"delta": {"content": "so"}}]}\n\n'
    server.misbehave(Fault(name="silent", body=begun + b": ping\n\n" * 1000, drip=0.0005))
    pieces: list[str] = []

    with pytest.raises(LLMError, match=r"the answer broke off: no answer within 1 s"):
        pieces.extend(model_of(server, timeout=1).astream(prompt, stage="answer"))

    assert pieces == ["so"]


def test_leaving_early_ends_the_request(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    model = model_of(server, concurrency=1)
    server.reply("shout", "word " * 20_000)

    async def run() -> str:
        stream = model.astream(prompt, stage="answer")
        async for piece in stream:
            await stream.aclose()
            return piece
        return ""

    assert asyncio.run(run()).startswith("word")
    assert "".join(model.astream(prompt, stage="answer")) == ANSWER


def test_a_stream_that_nobody_holds_ends_its_request(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    model = model_of(server, concurrency=1)
    server.reply("shout", "word " * 20_000)

    pieces = iter(model.astream(prompt, stage="answer"))
    next(pieces)
    del pieces

    assert "".join(model.astream(prompt, stage="answer")) == ANSWER


def test_a_stream_that_is_left_leaves_nothing_to_the_collector(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    model = model_of(server, concurrency=1)
    gc.collect()
    gc.disable()
    before = halfway()
    try:
        server.reply("shout", "word " * 2000)
        pieces = iter(model.astream(prompt, stage="answer"))
        next(pieces)
        del pieces

        assert "".join(model.astream(prompt, stage="answer")) == ANSWER
        wait_for(lambda: halfway() == before)
    finally:
        gc.enable()


def halfway() -> list[str]:
    """Asynchronous generators that were begun and have not ended."""
    found = [one for one in gc.get_objects() if inspect.isasyncgen(one) and one.ag_frame is not None]
    return [one.__qualname__ for one in found]


def test_whoever_reads_slowly_keeps_nobody_from_the_model(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    server.reply("shout", "word " * 2000, {"text": "so"})
    model = model_of(server, concurrency=1)

    async def run() -> tuple[str, str]:
        pieces = aiter(model.astream(prompt, stage="answer"))
        first = await anext(pieces)
        other = await asyncio.wait_for(model.acomplete(prompt, Said, stage="test"), 30)
        return first + "".join([piece async for piece in pieces]), other.value.text

    assert asyncio.run(run()) == ("word " * 2000, "so")


def test_cancelling_ends_the_request(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    model = model_of(server, concurrency=1)
    server.misbehave(slow(60))

    async def run() -> None:
        async def read() -> None:
            async for _ in model.astream(prompt, stage="answer"):
                pass

        reading = asyncio.ensure_future(read())
        while not server.asked:
            await asyncio.sleep(0.01)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    asyncio.run(run())
    assert "".join(model.astream(prompt, stage="answer")) == ANSWER


def test_a_stream_is_read_once(model: OpenAIModel, prompt: Prompt) -> None:
    stream = model.astream(prompt, stage="answer")
    stream.close()

    assert list(stream) == []
    assert "small" in repr(stream)


def test_an_event_without_end_is_refused(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memspan.llm.stream_event.MAX_REPLY_BYTES", 1 << 16)
    server.misbehave(Fault(name="endless", body=b"data: " + b"x" * (1 << 20)))

    with pytest.raises(LLMError, match="the reply is larger than 16 MiB"):
        list(model.astream(prompt, stage="answer"))


def test_many_events_at_once_hold_up_no_others(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[int] = []
    read_in: list[int] = []

    def noted(*given: Any) -> Any:
        if not rounds:
            rounds.append(0)
            asyncio.get_running_loop().call_soon(next_round)
        read_in.append(rounds[0])
        return read_event(*given)

    def next_round() -> None:
        rounds[0] += 1
        if len(read_in) < 200:
            asyncio.get_running_loop().call_soon(next_round)

    monkeypatch.setattr("memspan.llm.chat_endpoint.read_event", noted)
    event = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    end = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
    server.misbehave(Fault(name="many", body=event * 200 + end))

    assert "".join(model.astream(prompt, stage="answer")) == "a" * 200
    assert len(set(read_in[:200])) == 200, "other work of the loop has its turn after each"
