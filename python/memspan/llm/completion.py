"""Reading the reply of an OpenAI-compatible `/chat/completions` endpoint; no network here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from memspan.base.half_emoji import without_half_emoji
from memspan.embed.retry import TransientError

from .dialect import FINAL_CODES, LATER, Refusal
from .usage import Usage

__all__ = [
    "Completion",
    "failure_of",
    "finish_of",
    "name_of",
    "read_completion",
    "read_usage",
    "text_of",
    "told_by",
]

_NAME: Final = 200
_MOST_TOKENS: Final = 1 << 40
"""That a call may say it took; beyond that it is nonsense, and its sums would not fit into a store."""

_CUT: Final = frozenset({"length", "max_output_tokens", "max_tokens", "model_length"})
"""How servers say that an answer grew too long: OpenAI's word, and those of Google, Anthropic and Mistral, which some
gateways pass on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model wrote."""

    text: str
    finish: str
    """Why it stopped: `stop`, `length`, `content_filter`, or what else the server says."""
    refusal: str | None
    """Why the model would not answer."""
    model: str
    """As the server names it."""
    usage: Usage
    """Of this one call, without a price."""


def read_completion(
    reply: Any, *, model: str, seconds: float, quote: Callable[[str], str] = str
) -> Completion:
    """The first choice of a parsed reply.

    Args:
        reply: the JSON value.
        model: the name that was asked for.
        seconds: how long it took.
        quote: shortens what the server said, and takes secrets out.

    Raises:
        TransientError: something else, or an error that may go away (some gateways send errors with status 200).
        Refusal: an error that would come again.
    """
    if not isinstance(reply, dict):
        raise TransientError(f"the reply is no JSON object but a {type(reply).__name__}")
    choices = reply.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if error := reply.get("error") or (choice.get("error") if isinstance(choice, dict) else None):
        raise failure_of(error, quote)
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise TransientError("the reply has no choices[0].message")
    refusal = message.get("refusal")
    return Completion(
        text=without_half_emoji(text_of(message.get("content"))),
        finish=finish_of(choice) or "stop",
        refusal=refusal if isinstance(refusal, str) and refusal else None,
        model=name_of(reply, model),
        usage=read_usage(reply.get("usage"), seconds),
    )


def finish_of(choice: dict[str, Any]) -> str:
    """Why the model stopped, `length` where it was cut off in whatever words; empty when the server does not say."""
    said = str(choice.get("finish_reason") or "")
    return "length" if said.lower() in _CUT else said


def read_usage(counted: Any, seconds: float) -> Usage:
    """One call's usage; without token numbers that can be true it is a call that nobody counted."""
    fields = counted if isinstance(counted, dict) else {}
    prompt, completion = _count(fields.get("prompt_tokens")), _count(fields.get("completion_tokens"))
    if prompt is None or completion is None:
        return Usage(calls=1, uncounted=1, seconds=seconds)
    details = fields.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    if cached is None:
        cached = _count(fields.get("prompt_cache_hit_tokens")) or 0
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=min(cached, prompt),
        calls=1,
        seconds=seconds,
    )


def text_of(content: Any) -> str:
    """A message's text, as it came; servers send a string, nothing, or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "".join(texts)


def name_of(reply: Any, model: str) -> str:
    """The model's name as the server gives it, else as it was asked for."""
    name = reply.get("model") if isinstance(reply, dict) else None
    return without_half_emoji(name[:_NAME]) if isinstance(name, str) and name else model


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST_TOKENS else None


def told_by(error: Any) -> str:
    """The words of a server's error, and of the one behind it, which OpenRouter passes on beside words that say nothing
    ("Provider returned error"); Google puts an error into a list. Empty where there are none."""
    if isinstance(error, list) and len(error) == 1 and isinstance(error[0], dict):
        error = error[0].get("error")
    if not isinstance(error, dict):
        return error if isinstance(error, str) else ""
    metadata = error.get("metadata")
    behind = metadata.get("raw") if isinstance(metadata, dict) else None
    if isinstance(behind, str):
        with suppress(ValueError, RecursionError):
            behind = json.loads(behind)
    if isinstance(behind, dict):
        inner = behind.get("error", behind)
        behind = inner.get("message") if isinstance(inner, dict) else inner
    words = (error.get("message"), behind)
    return ": ".join(said.strip() for said in words if isinstance(said, str) and said.strip())


def failure_of(error: Any, quote: Callable[[str], str]) -> TransientError | Refusal:
    """What an error means that came in place of an answer, without an HTTP status of its own.

    Args:
        error: the JSON value.
        quote: as for `read_completion`.
    """
    said = error if isinstance(error, dict) else {"message": error}
    code = str(said.get("code") or "")
    text = f"an error in the reply: {quote(told_by(said) or str(said.get('message', '')))}"
    status = int(code) if re.fullmatch("[1-5][0-9]{2}", code) else FINAL_CODES.get(code, 500)
    if code in FINAL_CODES or (400 <= status < 500 and status not in LATER):
        return Refusal(status, text, code)
    return TransientError(text)
