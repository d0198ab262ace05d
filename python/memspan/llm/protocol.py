"""`LLM`: what stages need from a language model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

from .prompt import Prompt
from .usage import Usage

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["LLM", "Ready", "Reply"]

M = TypeVar("M", bound="BaseModel")
Ready: TypeAlias = Callable[[], Awaitable[object]]
"""Says, by returning, that a request may go out now; raises when it is not wanted any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Generic[M]):
    """A checked answer of a model."""

    value: M
    model: str
    """As the server names it."""
    usage: Usage
    remarks: tuple[str, ...] = ()
    """What was wrong with the answer on the way to this one, such as that its JSON had to be repaired; for logs."""


class LLM(Protocol):
    """Answers prompts with objects of a schema. Safe to use from several tasks and threads at once."""

    @property
    def model(self) -> str:
        """The name that derived records are marked with."""

    async def acomplete(self, prompt: Prompt, schema: type[M], *, stage: str) -> Reply[M]:
        """Ask the model and check its answer against the schema.

        Errors carry in `usage` what the calls before them cost, and so does a `CancelledError`.

        A client may take one more keyword, `ready`, of type `Ready` or `None`, and await it right before every request,
        retries and corrections included, in the event loop of the caller. Else what it sends is checked once, before it
        is asked: texts that are forgotten while it waits for its turn are sent all the same. So may its `astream`, if
        it has one, in any event loop.

        Raises:
            TruncatedReplyError: the answer, or the prompt, did not fit; ask for less at a time.
            BadReplyError: no answer of this schema, also after repair and a corrective retry.
            LLMError: the server cannot be reached, refuses, or kept failing through all retries.
        """
