"""What one event of a stream says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from pydantic import create_model

from memspan.errors import LLMError
from memspan.llm.completion import read_completion
from memspan.llm.stream_event import Bounded, StreamEnd, read_event


@pytest.mark.parametrize(
    ("delta", "text", "said"),
    [
        ({"role": "assistant", "content": "so"}, "so", True),
        ({"role": "assistant", "content": ""}, "", False),
        ({"content": None, "reasoning_content": "hm"}, "", True),
        ({"content": "", "reasoning": ""}, "", False),
        ({"tool_calls": [{"index": 0}]}, "", True),
        ({}, "", False),
        ("x", "", False),
    ],
)
def test_a_model_that_thinks_says_something(delta: Any, text: str, said: bool) -> None:
    chunk = create_model("Chunk", choices=(list[dict[str, Any]], [{"delta": delta}]))()

    assert read_event(chunk, StreamEnd("m"), 0.0) == (text, said)


def test_the_end_is_known_from_the_events() -> None:
    end = StreamEnd("m")
    usage = {"prompt_tokens": 3, "completion_tokens": 1}
    chunk = create_model(
        "Chunk",
        model=(str, "large"),
        choices=(list[dict[str, Any]], [{"finish_reason": "length"}]),
        usage=(dict[str, int], usage),
    )()

    assert read_event(chunk, end, 2.0) == ("", False)
    assert (end.model, end.finish, end.usage.prompt_tokens, end.usage.seconds) == ("large", "length", 3, 2.0)
    assert read_event(17, end, 2.0) == ("", False)


@pytest.mark.parametrize("said", ["length", "MAX_TOKENS", "max_tokens", "model_length"])
def test_an_answer_that_was_cut_off_is_known_in_whatever_words(said: str) -> None:
    end = StreamEnd("m")
    read_event({"choices": [{"finish_reason": said}]}, end, 0.0)
    reply = {"choices": [{"finish_reason": said, "message": {"content": "so"}}]}

    assert (end.finish, read_completion(reply, model="m", seconds=0.0).finish) == ("length", "length")


@pytest.mark.parametrize("end", [b"\n\n", b"\r\r", b"\r\n\r\n"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_bounded_however_they_are_cut(
    end: bytes, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def passed(sent: bytes) -> bytes:
        async def blocks() -> AsyncGenerator[bytes, None]:
            for start in range(0, len(sent), size):
                yield sent[start : start + size]

        return b"".join([block async for block in Bounded(blocks(), "http://here", StreamEnd("m"))])

    monkeypatch.setattr("memspan.llm.stream_event.MAX_REPLY_BYTES", 20)
    fits = (b"data: 12345" + end) * 50
    assert asyncio.run(passed(fits)) == fits
    with pytest.raises(LLMError, match="http://here: the reply is larger"):
        asyncio.run(passed(fits + b"data: " + b"x" * 40))


@pytest.mark.parametrize("size", [1000, 60_000, 10_000_000])
def test_events_that_hold_very_many_values_are_refused(size: int) -> None:
    async def passed(sent: bytes) -> bytes:
        async def blocks() -> AsyncGenerator[bytes, None]:
            for start in range(0, len(sent), size):
                yield sent[start : start + size]

        return b"".join([block async for block in Bounded(blocks(), "http://here", StreamEnd("m"))])

    fits = (b'data: {"choices":[' + b"{}," * 9_000 + b"1," * 80_000 + b"{}]}\n\n") * 4
    assert asyncio.run(passed(fits)) == fits
    for more, limit in ((b"[]," * 60_000, "100,000"), (b"{}," * 11_000, "10,000")):
        with pytest.raises(LLMError, match=f"http://here: the reply holds more than {limit} values"):
            asyncio.run(passed(fits + b'data: {"choices":[' + more + b"1]}\n\n"))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize(
    ("stream", "closed"),
    [
        (b'data: {"x": 1}\n\ndata: [DONE]\n\n', True),
        (b"data:[DONE]", True),
        (b'data: {"x": "data: [DONE]"}\n\n', False),
        (b'data: {"x": "' + b"y" * 99 + b'data: [DONE]"}\n\n', False),
    ],
)
def test_the_end_of_a_stream_is_seen_however_it_is_cut(size: int, stream: bytes, closed: bool) -> None:
    end = StreamEnd("m")

    async def blocks() -> AsyncGenerator[bytes, None]:
        for start in range(0, len(stream), size):
            yield stream[start : start + size]

    async def read() -> bytes:
        return b"".join([block async for block in Bounded(blocks(), "http://here", end)])

    assert asyncio.run(read()) == stream
    assert end.closed == closed
