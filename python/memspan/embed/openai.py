"""Embedding by an HTTP endpoint that speaks OpenAI's protocol (extra `llm`)."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memspan.base.worker_threads import pause
from memspan.embed.cutting import cut
from memspan.embed.endpoint import JsonEndpoint, TooLargeError, Transport
from memspan.embed.loaded_once import LoadedOnce
from memspan.embed.openai_reply import read_reply
from memspan.embed.openai_url import OPENAI_URL, find_url
from memspan.embed.protocol import check_count, check_dim, check_text, check_texts
from memspan.embed.retry import RetryPolicy
from memspan.errors import invalid

__all__ = ["OpenAIEmbedder"]

_logger = logging.getLogger("memspan")
KEY_VARIABLE = "OPENAI_API_KEY"
_MAX_CHARS = 16_000
_BATCH_CHARS = 400_000
_LEAST_CUT = 64
"""Characters, of which no fewer are sent because of a refusal."""
_PROBE = "dimension"


class OpenAIEmbedder:
    """Any server with an OpenAI-compatible `/embeddings` endpoint. Texts are sent there.

    Timeouts, broken connections, cut or garbled replies and the statuses 408, 425, 429 and 5xx are tried again after a
    growing pause, or the one that the server asks for; a request of several texts that it refuses (413, or 400 or 422,
    which some servers give for too many inputs or tokens, or 500 with words to that effect, as llama.cpp) is sent in
    halves, and later ones are smaller if that helped. A refused key and an account without credit (401, 402, or 429
    with the code `insufficient_quota`) are an `EmbedderAccessError` at once. A single text that it refuses for its
    length is cut to half of it, again and again, which the log says once. What it refuses otherwise of a single text,
    other statuses, and replies with the wrong number or kind of vectors are errors at once: a refusal that has another
    reason costs 2 log2(batch) requests at most. Thread-safe.

    Args:
        model: the endpoint's name of the model; also recorded in the store. The URL is not: the same model
            may be reached in several ways.
        base_url: where `/embeddings` is appended; None takes the environment's `OPENAI_BASE_URL`, as a language model
            does, else OpenAI's own.
        api_key: sent as a bearer token to `base_url`; None takes the environment's `OPENAI_API_KEY`, which
            only OpenAI's own URL requires.
        dim: length of the vectors, when known: replies are checked against it. None asks the endpoint with
            one short text when `dim` is first needed.
        dimensions: ask the endpoint to shorten vectors to this length, for models that can; sets `dim`.
        encoding: how the endpoint is asked to send vectors; `"base64"` is smaller, not every server has it.
        query_prefix: put before every question; likewise `document_prefix` before every document.
        max_chars: only this many first characters of a text are sent, since endpoints refuse texts longer than their
            model takes. None for what fits into 8,192 tokens, as OpenAI's take: 16,000, or as few as 5,300 in scripts
            of which a sign takes more than one, such as Chinese.
        batch: most texts in one request.
        timeout: seconds for connecting, each read, and a whole request with its reply.
        retries: attempts after the first.
        longest_pause: seconds; bounds the pause before a retry, also when the server asks for more.
        headers: sent with every request, and kept out of messages as the key is.
        transport, sleep, clock: replace the network, pauses (which end with the program) and `time.monotonic`, for
            tests.

    Raises:
        InvalidArgumentError: an argument of the wrong type or value.
        MissingExtraError: httpx or tenacity is not installed (on import of this module).
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dim: int | None = None,
        dimensions: int | None = None,
        encoding: Literal["float", "base64"] = "float",
        query_prefix: str = "",
        document_prefix: str = "",
        max_chars: int | None = None,
        batch: int = 128,
        timeout: float = 30.0,
        retries: int = 5,
        longest_pause: float = 60.0,
        headers: Mapping[str, str] | None = None,
        transport: Transport | None = None,
        sleep: Callable[[float], None] = pause,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = check_text(model, "model")
        if not model:
            raise invalid("model", model, "the name of a model")
        url = find_url(base_url)
        if encoding not in ("float", "base64"):
            raise invalid("encoding", encoding, "'float' or 'base64'")
        if dimensions is not None and dim not in (None, dimensions):
            raise invalid("dim", dim, f"None, or the same as dimensions ({dimensions})")
        known = dimensions if dim is None else dim
        self._dim = None if known is None else check_dim(known, "dim" if dimensions is None else "dimensions")
        self._dimensions = None if dimensions is None else self._dim
        self._encoding = encoding
        self._query_prefix = check_text(query_prefix, "query_prefix")
        self._document_prefix = check_text(document_prefix, "document_prefix")
        self._counts_signs = max_chars is None
        self._max_chars = check_count(_MAX_CHARS if max_chars is None else max_chars, "max_chars", 1, 1 << 22)
        self._said_cut = False
        self._batch = check_count(batch, "batch", 1, 1 << 16)
        retry = RetryPolicy(
            retries=check_count(retries, "retries", 0, 100),
            longest_pause=_check_seconds(longest_pause, "longest_pause"),
            sleep=sleep,
        )
        self._endpoint = JsonEndpoint(
            f"{url}/embeddings",
            api_key=_find_key(api_key, url),
            headers=headers or {},
            timeout=_check_seconds(timeout, "timeout"),
            retry=retry,
            transport=transport,
            clock=clock,
        )
        self._probed: LoadedOnce[None, int] = LoadedOnce()

    def __repr__(self) -> str:
        return f"OpenAIEmbedder(model={self.name!r}, url={self._endpoint.url!r})"

    def __enter__(self) -> OpenAIEmbedder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the endpoint; the embedder cannot be used afterwards."""
        self._endpoint.close()

    @property
    def dim(self) -> int:
        """Length of the vectors; the first use asks the endpoint when it was not given.

        Raises:
            EmbedderError: the endpoint could not be asked.
        """
        return self._probed.get(None, self._probe) if self._dim is None else self._dim

    @property
    def checksum(self) -> str:
        """sha256 over the model's name and what is sent with texts; the endpoint's weights are unknown."""
        described = {
            "model": self.name,
            "dimensions": self._dimensions,
            "query_prefix": self._query_prefix,
            "document_prefix": self._document_prefix,
            "max_chars": self._max_chars,
        }
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts, a batch at a time. See `Embedder.embed_documents`."""
        return self._embed([self._document_prefix + text for text in check_texts(texts)])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Embed one question. See `Embedder.embed_query`."""
        vector: NDArray[np.float32] = self._embed([self._query_prefix + check_text(text, "text")])[0]
        return vector

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        dim = self.dim
        vectors = np.empty((len(texts), dim), dtype=np.float32)
        done = 0
        for batch in self._batches(texts):
            vectors[done : done + len(batch)], _ = self._halved(batch, dim)
            done += len(batch)
        return vectors

    def _halved(self, batch: list[str], dim: int) -> tuple[NDArray[np.float32], bool]:
        """The vectors of a batch, in as many requests as the endpoint wants, and whether a text was cut. A single text
        that is refused for another reason than its length ends it."""
        try:
            return self._request(batch, dim), False
        except TooLargeError as error:
            middle = len(batch) // 2
            if not middle and (not error.too_long or len(batch[0]) < 2 * _LEAST_CUT):
                raise
        if not middle:
            return self._cut(batch[0], dim), True
        first, cut_first = self._halved(batch[:middle], dim)
        second, cut_second = self._halved(batch[middle:], dim)
        cuts = cut_first or cut_second
        if not cuts:  # else it may be the one text that was too long
            self._batch = min(self._batch, middle)
        return np.concatenate([first, second]), cuts

    def _cut(self, text: str, dim: int) -> NDArray[np.float32]:
        """The vector of half of a text that was too long, or of less."""
        vectors, _ = self._halved([text[: len(text) // 2]], dim)
        if not self._said_cut:
            self._said_cut = True
            _logger.warning(
                "embedder %r: the model takes no text of %d characters; it gets half of it, or less (max_chars says "
                "how many to send at once)",
                self.name,
                len(text),
            )
        return vectors

    def _probe(self, _: None) -> int:
        return int(self._request([_PROBE], None).shape[1])

    def _beginning(self, text: str) -> str:
        return cut(text, self._max_chars) if self._counts_signs else text[: self._max_chars]

    def _batches(self, texts: list[str]) -> Iterator[list[str]]:
        """Split by number and by characters: endpoints limit the tokens of one request too."""
        batch: list[str] = []
        room = _BATCH_CHARS
        for text in texts:
            # The protocol refuses empty texts; a space is the nearest thing that it takes.
            sent = self._beginning(text) or " "
            if batch and (len(batch) >= self._batch or room < len(sent)):
                yield batch
                batch, room = [], _BATCH_CHARS
            batch.append(sent)
            room -= len(sent)
        if batch:
            yield batch

    def _request(self, batch: list[str], dim: int | None) -> NDArray[np.float32]:
        payload: dict[str, Any] = {"model": self.name, "input": batch}
        if self._dimensions is not None:
            payload["dimensions"] = self._dimensions
        if self._encoding != "float":
            payload["encoding_format"] = self._encoding
        reply = self._endpoint.post(payload)
        return read_reply(reply, count=len(batch), dim=dim, name=self.name, shown=self._endpoint.shown)


def _find_key(api_key: str | None, url: str) -> str | None:
    key = os.environ.get(KEY_VARIABLE) if api_key is None else api_key
    if isinstance(key, str):
        key = key.strip() or None
    if key is None and url == OPENAI_URL:
        raise invalid("api_key", None, f"a key, or one in the environment variable {KEY_VARIABLE}")
    return key


def _check_seconds(value: Any, argument: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 86_400:
        raise invalid(argument, value, "seconds above 0, at most 86400")
    return float(value)
