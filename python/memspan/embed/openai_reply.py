"""Reading the reply of an OpenAI-compatible `/embeddings` endpoint; no network here."""

from __future__ import annotations

import base64
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memspan.embed.protocol import validate_vectors
from memspan.errors import EmbedderError, shorten

__all__ = ["read_reply"]


def read_reply(
    reply: Any, *, count: int, dim: int | None, name: str, shown: Callable[[Any], str] = shorten
) -> NDArray[np.float32]:
    """The vectors of a reply, in the order of the texts that were sent.

    Vectors may be lists of numbers or base64 of little-endian float32; `index` decides the order, and
    position does in replies that have none.

    Args:
        reply: the parsed JSON.
        count: how many texts were sent.
        dim: the dimension expected, None for any.
        name: the embedder's, for messages.
        shown: what messages quote of a part of the reply.

    Raises:
        EmbedderError: another structure, number of vectors, or dimension, indexes that are not 0..count-1,
            or vectors that are not finite or zero.
    """
    items = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(items, list):
        raise EmbedderError(f"embedder {name!r}: the reply has no list 'data': {shown(reply)}")
    if len(items) != count:
        raise EmbedderError(f"embedder {name!r}: the reply has {len(items)} vectors for {count} texts")
    rows: list[Any] = [None] * count
    for position, item in enumerate(items):
        if not isinstance(item, dict) or not isinstance(item.get("embedding"), (list, str)):
            raise EmbedderError(f"embedder {name!r}: item {position} of the reply has no 'embedding'")
        index = item.get("index", position)
        if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
            raise EmbedderError(f"embedder {name!r}: item {position} of the reply has index {shown(index)}")
        rows[index] = _read_vector(item["embedding"], position, name)
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise EmbedderError(f"embedder {name!r}: the reply has vectors of dimensions {sorted(lengths)}")
    return validate_vectors(rows, dim, count, name)


def _read_vector(value: list[Any] | str, position: int, name: str) -> NDArray[np.float32]:
    form = "base64 of float32" if isinstance(value, str) else "a list of numbers"
    with suppress(TypeError, ValueError, OverflowError):  # which may quote all of it
        if isinstance(value, str):
            return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
        with np.errstate(over="ignore"):
            return np.asarray(value, dtype=np.float32)
    raise EmbedderError(f"embedder {name!r}: item {position} of the reply is not {form}")
