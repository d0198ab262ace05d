"""Ask any client so that what a request holds is looked at right before it goes out."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from .prompt import Prompt
from .protocol import LLM, Ready, Reply

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["complete", "takes_ready"]

M = TypeVar("M", bound="BaseModel")


def takes_ready(ask: Callable[..., Any]) -> bool:
    """Whether a client's method awaits `ready` before each of its requests, see `LLM.acomplete`."""
    return "ready" in inspect.signature(ask).parameters


async def complete(llm: LLM, prompt: Prompt, schema: type[M], *, stage: str, ready: Ready | None) -> Reply[M]:
    """See `LLM.acomplete`; a client that takes no `ready` is asked after one look.

    Raises:
        Exception: what `ready` raises; then nothing more is sent.
    """
    if ready is None:
        return await llm.acomplete(prompt, schema, stage=stage)
    if not takes_ready(llm.acomplete):
        await ready()
        return await llm.acomplete(prompt, schema, stage=stage)
    acomplete: Any = llm.acomplete
    reply: Reply[M] = await acomplete(prompt, schema, stage=stage, ready=ready)
    return reply
