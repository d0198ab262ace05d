"""One event of an answer that comes in pieces, and what is known at the end."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any, Final

from memspan.limits import MAX_REPLY_BYTES, MAX_REPLY_VALUES

from .completion import finish_of, name_of, read_completion, read_usage, text_of
from .usage import Usage
from .whole_reply import count_values, parse_reply, too_large, too_many

__all__ = ["Bounded", "StreamEnd", "WholeAnswer", "pass_over_empty", "read_event"]

_ENDS: Final = (b"\n\n", b"\r\r", b"\r\n\r\n")
"""Of an event."""
_END: Final = re.compile(b"|".join(_ENDS))
_CLOSED: Final = re.compile(rb"[\r\n]data: ?\[DONE\]")
_LONGEST: Final = 16
"""Bytes of it, and some more."""
_OBJECTS: Final = 10_000
"""In an event: OpenAI's client takes some 80 us for each."""


class StreamEnd:
    """The last item of a stream: what is known when the text is complete."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.finish = ""
        self.closed = False
        """The server said that this was all. Some do not say why, such as gateways that leave out the last event."""
        self.refused = False
        """The model would not answer."""
        self.usage = Usage(calls=1, uncounted=1)


def read_event(chunk: Any, end: StreamEnd, seconds: float) -> tuple[str, bool]:
    """The text in an event, and whether the model said anything there, be it only what it thinks before it answers;
    what else the event says goes to `end`.

    Args:
        chunk: as OpenAI's client gives it, or `WholeAnswer`.
        seconds: since the request.
    """
    event = chunk if isinstance(chunk, dict) else {}
    if hasattr(chunk, "model_dump"):
        event = chunk.model_dump(warnings=False)
    end.model = name_of(event, end.model)
    if event.get("usage"):
        end.usage = read_usage(event["usage"], seconds)
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return "", False
    end.finish = finish_of(choice) or end.finish
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return "", False
    end.refused = end.refused or bool(delta.get("refusal"))
    return text_of(delta.get("content")), any(said for name, said in delta.items() if name != "role")


def pass_over_empty(opened: Any) -> None:
    """Let an answer's events without data say nothing, as the format has it: "event: ping" and "retry: 3000" keep a
    connection alive. OpenAI's client would look for JSON in them.

    Args:
        opened: as OpenAI's client gives it, not read yet.
    """
    decoder = getattr(opened, "_decoder", None)
    if decoder is None:
        return
    decode = decoder.decode

    def of_data(line: str) -> Any:
        event = decode(line)
        return event if event is not None and event.data.strip() else None

    decoder.decode = of_data


class Bounded:
    """The blocks of an answer that comes in events, as they come. Whoever reads events holds each of them whole, and
    makes objects of what is in it: one that is longer than `MAX_REPLY_BYTES`, or holds more than `MAX_REPLY_VALUES` or
    10,000 objects, is refused.

    No generator: one more of those that a stream leaves behind would be one more for the collector to end.

    Args:
        blocks: as httpx gives them.
        url: of the server, for messages.
        end: is told when the server says that this was all.
    """

    def __init__(self, blocks: AsyncGenerator[bytes, None], url: str, end: StreamEnd) -> None:
        self._blocks = blocks
        self._url = url
        self._end = end
        self._last = b"\n"
        self._length = 0
        self._values = self._objects = 0
        self._tail = b""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        block = await anext(self._blocks)
        last = self._last + block
        self._end.closed = self._end.closed or _CLOSED.search(last) is not None
        self._last = last[-_LONGEST:]
        seen = self._tail + block
        end = max(map(seen.rfind, _ENDS))
        self._length = self._length + len(block) if end < 0 else len(seen) - end
        most = self._most_held(seen)
        self._tail = seen[-3:]
        if self._length > MAX_REPLY_BYTES:
            await self._blocks.aclose()
            raise too_large(self._url)
        for held, limit in zip(most, (MAX_REPLY_VALUES, _OBJECTS), strict=True):
            if held > limit:
                await self._blocks.aclose()
                raise too_many(self._url, limit)
        return block

    def _most_held(self, seen: bytes) -> tuple[int, int]:
        """The most values, and the most objects, that an event in the block has so far."""
        first, *others = _END.split(seen)
        values = [self._values + count_values(first) - count_values(self._tail), *map(count_values, others)]
        objects = [self._objects + first.count(b"{") - self._tail.count(b"{")]
        objects += (event.count(b"{") for event in others)
        self._values, self._objects = values[-1], objects[-1]
        return max(values), max(objects)


class WholeAnswer:
    """The answer of a server that does not stream, or a gateway that kept it: all of it at once, as if in one event.

    Args:
        opened: as OpenAI's client gives it.
        model: the name that was asked for.
        url: of the server, for messages.
        quote: shortens what the server said, and takes secrets out.
    """

    def __init__(self, opened: Any, model: str, url: str, quote: Callable[[str], str]) -> None:
        self._opened = opened
        self._model = model
        self._url = url
        self._quote = quote
        self._read = False

    def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        return self

    async def __anext__(self) -> dict[str, Any]:
        """The answer, when it is first asked for.

        Raises:
            ValueError, RecursionError: no JSON.
            TransientError, Refusal: see `read_completion`.
        """
        if self._read:
            raise StopAsyncIteration
        self._read = True
        received = b"".join([block async for block in self._opened.response.aiter_bytes()])
        reply = await parse_reply(received, self._url)
        answer = read_completion(reply, model=self._model, seconds=0.0, quote=self._quote)
        choice = {
            "finish_reason": answer.finish,
            "delta": {"content": answer.text, "refusal": answer.refusal},
        }
        return {"model": answer.model, "usage": reply.get("usage"), "choices": [choice]}

    async def close(self) -> None:
        await self._opened.close()
