"""What `Memory.ask` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from memspan.llm.usage import Usage
from memspan.recall.context import Context
from memspan.recall.plan import Plan

__all__ = ["NOT_ENOUGH", "Answer", "AnswerTimings"]

NOT_ENOUGH: Final = "Not enough information in the memory."
"""The text of an answer that there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTimings:
    """Where the time went: seconds by the clock on the wall."""

    planning: float = 0.0
    """The plan, by rules or by the model; 0 when the caller gave one."""
    search: float = 0.0
    """Embedding the query, the native search, reading the records, and a second look if there was one."""
    context: float = 0.0
    """Choosing what fits into the tokens."""
    answering: float = 0.0
    """The model's answer, from the request to its last word."""

    @property
    def total(self) -> float:
        """All of it together."""
        return self.planning + self.search + self.context + self.answering


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer from a user's memories: its `text`, the ids of its `sources`, and whether they were `enough` for one.

    `context` is what the model was shown, `usage` what it cost.
    """

    text: str
    """`NOT_ENOUGH` when there is none."""
    sources: tuple[str, ...]
    """Ids of the records that the model names as its sources, in the order of time; all of them are in `context`. Empty
    when there is no answer, or when the model names none that exists."""
    enough: bool
    """Whether the memories answer the question, as the model says, or the confidence where one was asked for."""
    plan: Plan
    """How the memories were looked for; its reasons say whether rules or the model made it."""
    usage: Usage
    """What the model cost, the plan included."""
    timings: AnswerTimings
    context: Context = field(repr=False)
    """The memories that the model was shown, and what the search found."""
    model: str | None
    """As the server names it; `None` when the model was not asked."""
    remarks: tuple[str, ...] = ()
    """What was wrong with the model's reply, such as numbers of no memory, and why it was not asked."""
