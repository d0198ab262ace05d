"""`Dialect`: what one server takes of the protocol, learned from what it refuses."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from memspan.embed.access import is_without_access

__all__ = [
    "FINAL_CODES",
    "LATER",
    "Dialect",
    "Mode",
    "Refusal",
    "instructions",
    "is_too_large",
    "response_format",
]

_logger = logging.getLogger("memspan")
Mode = Literal["json_schema", "json_object", "text"]
_LOWER: Final[Mapping[str, Mode]] = {"json_schema": "json_object", "json_object": "text"}
_ABOUT_FORMAT: Final = re.compile(
    r"response_format|json_schema|json_object|json mode|structured.output", re.IGNORECASE
)
_ABOUT_SCHEMA: Final = re.compile(r"invalid schema|schema for|grammar", re.IGNORECASE)
_TOO_LONG: Final = re.compile(
    r"context.{0,5}(?:length|size|window|limit)|context_length_exceeded|exceed_context_size"
    r"|(?:prompt|input) is too long|maximum.{0,10}tokens|maximum number of tokens|maximum (?:prompt|model) length"
    r"|model token limit|too many tokens|max_new_tokens. must be|inputs. must have less than \d+ tokens",
    re.IGNORECASE,
)
"""As OpenAI, llama.cpp, Anthropic, Bedrock, Google, xAI, vLLM, Moonshot and TGI say it."""
_TOO_LARGE: Final = re.compile(r"request (?:is )?too large", re.IGNORECASE)
"""With status 429: of one request that takes more tokens than an account has in a minute, which no pause helps."""
_NAMES_OF: Final = {
    "temperature": "temperature",
    "stream_options": "stream_options",
    "max_tokens": "max_completion_tokens",
}
"""By parameter, the word in a refusal that asks to do without it."""
_LIMIT: Final = "limit"
_LIMITS: Final = frozenset({"max_tokens", "max_completion_tokens"})
_ABOUT_LIMIT: Final = re.compile(
    r"max_?(?:completion_?|new_?|output_?)?tokens|(?:completion|output) tokens|(?:in|for) the completion",
    re.IGNORECASE,
)
"""As OpenAI, vLLM, Anthropic, Google and TGI speak of it."""
_OF_MODEL: Final = re.compile(r"maximum value for|maximum (?:output|completion) tokens", re.IGNORECASE)
"""As Groq and Ollama name the model's own limit, in words that others have for prompts that are too long."""
_ESCAPES: Final = re.compile(r"\\+n?")
_ECHO: Final = re.compile(
    r"""(?<=[{,])\s*(["'])(?:(?:temperature|max_(?:completion_)?tokens)\1:\s*-?[\d.]+(?=\s*[,}…])|stream_options\1:\s*\{"""
    r"""|response_format\1:\s*\{\s*["']type["']:\s*["']json_(?:schema|object)["'](?:,\s*["']json_schema["']:)?)"""
)
"""Parameters in a request that a server repeats: it blames none of them by that."""
_BAD_REQUEST: Final = frozenset({400, 404, 405, 415, 422, 501})
LATER: Final = frozenset({408, 409, 425, 429})
"""Statuses below 500 that may go away."""
FINAL_CODES: Final[Mapping[str, int]] = {
    "billing_hard_limit_reached": 429,
    "content_filter": 400,
    "context_length_exceeded": 400,
    "insufficient_quota": 429,
}
"""Servers' names of what does not go away, with the statuses that they come with."""


def is_too_large(status: int, text: str) -> bool:
    """Whether a server says that a request is beyond the account's limit by itself, not beside others."""
    return status == 429 and _TOO_LARGE.search(text) is not None


class Refusal(Exception):  # noqa: N818 - an answer of the server that the client may act on
    """The server refused a request, and would refuse it again.

    Attributes:
        status: of HTTP.
        text: what it said, without secrets.
        code: its own name for the reason; empty when it gave none.
    """

    def __init__(self, status: int, text: str, code: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.code = code

    @property
    def no_access(self) -> bool:
        """See `is_without_access`."""
        return is_without_access(self.status, self.code)

    @property
    def too_long(self) -> bool:
        """The prompt, or what may be answered, does not fit into the model's context, or a minute of the account."""
        if (
            self.status == 413
            or self.code == "context_length_exceeded"
            or is_too_large(self.status, self.text)
        ):
            return True
        return self.status in (400, 422) and bool(_TOO_LONG.search(f"{self.code} {self.text}"))

    @property
    def reason(self) -> str:
        """The text without what it repeats of the request."""
        return _ECHO.sub("", _ESCAPES.sub("", self.text))


@dataclass(slots=True)
class Dialect:
    """Structured output as json_schema, else json_object, else text; temperature, limit and usage under the names that
    the server knows. Starts with everything and gives up what is refused. Thread-safe."""

    temperature: float
    max_tokens: int | None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _dropped: set[str] = field(default_factory=set)
    _modes: dict[str | None, Mode] = field(default_factory=dict)
    """The best mode for a schema by name, or for all (`None`)."""

    def mode(self, schema: str) -> Mode:
        """The best mode that the server has not refused for this schema."""
        with self._lock:
            return min(
                self._modes.get(schema, "json_schema"), self._modes.get(None, "json_schema"), key=_rank
            )

    def parameters(self, *, stream: bool = False, limited: bool = True) -> dict[str, Any]:
        """What a request holds beside model, messages and format; with `limited`, also how long an answer may be."""
        with self._lock:
            dropped = set(self._dropped)
        chosen: dict[str, Any] = {}
        if "temperature" not in dropped:
            chosen["temperature"] = self.temperature
        if self.max_tokens is not None and limited and _LIMIT not in dropped:
            name = "max_completion_tokens" if "max_tokens" in dropped else "max_tokens"
            chosen[name] = self.max_tokens
        if stream:
            chosen["stream"] = True
            if "stream_options" not in dropped:
                chosen["stream_options"] = {"include_usage": True}
        return chosen

    def lifts(self, refusal: Refusal, sent: Mapping[str, Any]) -> bool:
        """Whether the server refuses the limit of the answer, so that asking again without it makes sense: the model
        has a lower one, or the prompt leaves less of its context. What does not depend on the prompt is remembered."""
        if refusal.status not in (400, 422) or not _LIMITS.intersection(sent):
            return False
        if not _ABOUT_LIMIT.search(refusal.reason):
            return False
        if refusal.too_long and not _OF_MODEL.search(refusal.reason):
            return True
        if "max_tokens" in sent and _NAMES_OF["max_tokens"] in refusal.reason:
            return refusal.too_long  # Else it is the name that it does not know.
        with self._lock:
            self._dropped.add(_LIMIT)
        _logger.warning("max_tokens=%s is left out, as the server refuses it: %s", self.max_tokens, refusal)
        return True

    def drop(self, refusal: Refusal, sent: Mapping[str, Any]) -> bool:
        """Give up the parameter that the server names. Whether there was one, so that asking again makes sense."""
        if refusal.status not in _BAD_REQUEST:
            return False
        for name in _NAMES_OF:
            if name in sent and _NAMES_OF[name] in refusal.reason:
                with self._lock:
                    self._dropped.add(name)
                return True
        return False

    def lower(self, refusal: Refusal, mode: Mode, schema: str) -> Mode | None:
        """The next mode after a refused one; `None` when the refusal is not about that, or nothing is left.

        A refusal that names the format is remembered at once, for this schema only when it names the schema. Any other
        bad request may have another reason: `settle` remembers it once a lower mode was answered.
        """
        if refusal.status not in _BAD_REQUEST or mode not in _LOWER or refusal.code == "content_filter":
            return None
        lower = _LOWER[mode]
        if _ABOUT_SCHEMA.search(refusal.reason):
            self.settle(lower, schema)
        elif _ABOUT_FORMAT.search(refusal.reason):
            self.settle(lower, None)
        return lower

    def settle(self, mode: Mode, schema: str | None) -> None:
        """Remember the best mode for a schema, or for all."""
        with self._lock:
            self._modes[schema] = min(mode, self._modes.get(schema, "json_schema"), key=_rank)


def _rank(mode: str) -> int:
    return ("text", "json_object", "json_schema").index(mode)


def response_format(mode: Mode, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """What asks for an answer of that form; empty for text."""
    if mode == "json_schema":
        wanted = {"name": name, "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    return {"response_format": {"type": "json_object"}} if mode == "json_object" else {}


def instructions(mode: Mode, schema: Mapping[str, Any]) -> str:
    """What the instructions must add, because the server does not hold the model to the schema."""
    if mode == "json_schema":
        return ""
    wanted = json.dumps(schema, ensure_ascii=False)
    return f"\n\nAnswer with one JSON object and nothing else. It must fit this JSON schema:\n{wanted}"
