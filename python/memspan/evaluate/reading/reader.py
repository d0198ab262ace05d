"""The reader `read`: a language model answers a question from a context that was found for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from memspan.errors import missing_extra
from memspan.formats.questions import LabelledQuestion
from memspan.llm import LLM, Prompt
from memspan.llm.prompts import render
from memspan.recall.context import Context

try:
    from pydantic import BaseModel
except ImportError as _error:
    raise missing_extra("pydantic", "answering questions", "llm") from _error

__all__ = ["Read", "Reader", "Said", "read_prompt", "read_with"]

_TAGS = ("<memories>", "</memories>")


class Said(BaseModel):
    """What a reader says."""

    answer: str
    enough: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """An answer."""

    text: str
    enough: bool
    """Whether the reader found an answer in the context."""


Reader: TypeAlias = Callable[[LLM, Prompt], Awaitable[Read]]
"""How a model is asked; raises `LLMError` when it gives no answer."""


def read_prompt(question: LabelledQuestion, context: Context) -> Prompt:
    """What the reader is asked; the same for every recipe, so that recipes differ in their memories only."""
    lines = [line for line in context.text.splitlines() if line.strip() and line.strip() not in _TAGS]
    asked = question.now.isoformat() if question.now is not None else "after the last of them"
    return render("read", data={"question": question.text, "asked": asked, "memories": lines})


async def read_with(llm: LLM, prompt: Prompt) -> Read:
    """Ask the model.

    Raises:
        LLMError: it gave no answer.
    """
    reply = await llm.acomplete(prompt, Said, stage="read")
    return Read(text=reply.value.answer.strip(), enough=reply.value.enough)
