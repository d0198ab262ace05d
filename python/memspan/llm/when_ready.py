"""Ask any client so that what a request holds is looked at right before it goes out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import LLMError
from .prompt import Prompt
from .protocol import LLM, Ready, Reply

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["NoReplyError", "complete", "takes_ready"]

M = TypeVar("M", bound="BaseModel")


class NoReplyError(LLMError):
    """A client returned something else than a reply of the schema that was asked for."""


def takes_ready(ask: Callable[..., Any]) -> bool:
    """Whether a client's method awaits `ready` before each of its requests, see `LLM.acomplete`."""
    return "ready" in inspect.signature(ask).parameters


async def complete(llm: LLM, prompt: Prompt, schema: type[M], *, stage: str, ready: Ready | None) -> Reply[M]:
    """See `LLM.acomplete`; a client that takes no `ready` is asked after one look.

    Raises:
        NoReplyError: the client returned something else than a reply of this schema.
        Exception: what `ready` raises; then nothing more is sent.
    """
    acomplete: Any = llm.acomplete
    if ready is None:
        reply = acomplete(prompt, schema, stage=stage)
    elif not takes_ready(acomplete):
        await ready()
        reply = acomplete(prompt, schema, stage=stage)
    else:
        reply = acomplete(prompt, schema, stage=stage, ready=ready)
    return _checked(await reply if inspect.isawaitable(reply) else reply, llm, schema, stage)


def _checked(reply: Any, llm: LLM, schema: type[M], stage: str) -> Reply[M]:
    """A reply of a client that may be somebody's own, of which nobody knows what it returns."""
    if not isinstance(reply, Reply):
        got = type(reply).__name__
    elif not isinstance(reply.value, schema):
        got = f"a Reply with a {type(reply.value).__name__}"
    else:
        return reply
    raise NoReplyError(
        f"{stage}: `acomplete` of model {llm.model!r} returned {got}; expected a memspan.llm.Reply whose `value` is of "
        f"the schema that was asked for, {schema.__name__}"
    )
