"""How much a reply may be, and one that came as a whole as the JSON that it is."""

from __future__ import annotations

import json
from typing import Any, Final

from memspan.base.worker_threads import in_worker
from memspan.errors import LLMError
from memspan.limits import MAX_REPLY_BYTES, MAX_REPLY_VALUES

__all__ = ["count_values", "parse_reply", "read_bytes", "too_large", "too_many"]

_AT_ONCE: Final = 1 << 16
"""Bytes that are parsed where they come, in a few milliseconds; more would hold up the requests of all models, which
share a loop."""
_BESIDE: Final = 10
"""By so much more than its answer a reply may hold, such as how likely each token was."""


def count_values(text: str | bytes) -> int:
    """Objects, lists and commas in a text, the latter also where they belong to its prose. O(length), fast."""
    marks: tuple[Any, ...] = ("{", "[", ",") if isinstance(text, str) else (b"{", b"[", b",")
    return sum(map(text.count, marks))


def too_large(url: str) -> LLMError:
    """Build the error for a reply of more bytes than are read."""
    return LLMError(f"{url}: the reply is larger than {MAX_REPLY_BYTES >> 20} MiB")


def too_many(url: str, most: int = MAX_REPLY_VALUES) -> LLMError:
    """Build the error for a reply of more values than are read."""
    return LLMError(f"{url}: the reply holds more than {most:,} values")


async def read_bytes(response: Any, url: str) -> bytes:
    """What a server sends.

    Args:
        response: as OpenAI's client gives it, not read yet.
        url: of the server, for messages.

    Raises:
        LLMError: more than `MAX_REPLY_BYTES`; the rest is not read.
    """
    received = bytearray()
    async for block in response.iter_bytes():
        received += block
        if len(received) > MAX_REPLY_BYTES:
            raise too_large(url)
    return bytes(received)


async def parse_reply(received: bytes, url: str) -> Any:
    """The JSON value.

    Args:
        url: of the server, for messages.

    Raises:
        LLMError: it holds more than can be parsed without holding up others.
        ValueError, RecursionError: no JSON.
    """
    most = _BESIDE * MAX_REPLY_VALUES
    if count_values(received) > most:
        raise too_many(url, most)
    if len(received) <= _AT_ONCE:
        return json.loads(received)
    return await in_worker(json.loads, received)
