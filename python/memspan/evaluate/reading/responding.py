"""Who answers the questions of an evaluation: the memory itself (`Memory.ask`), or one prompt over given contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from memspan.errors import invalid
from memspan.formats.questions import LabelledQuestion
from memspan.memory import Memory
from memspan.recall.context import Context
from memspan.recall.plan_by_model import FELL_BACK
from memspan.remember.searching.answering import Answering

from .kept_model import KeptModel
from .reader import Reader, read_prompt

__all__ = ["Asked", "ByMemory", "ByPrompt", "Responded", "Responder", "check_options"]

_OF_ASK = ("rerank_ms",)
"""Options of a search that `Memory.ask` has as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Responded:
    """An answer with what it rests on."""

    text: str
    enough: bool
    """Whether the memories answer the question, as the reader says."""
    sources: tuple[str, ...] = ()
    """Ids of the records that it names; empty where nobody asked for them."""
    context_tokens: int
    records: int
    """In the context."""
    retrieval_seconds: float
    """Search and making the context, with a plan by rules; a model's plan is in its usage."""
    plan_failed: bool = False
    """A model was to plan the search and failed, so that the rules' plan was used."""


class Responder(Protocol):
    """Answers one question at a time; several are asked at once."""

    async def respond(self, question: LabelledQuestion, model: KeptModel) -> Responded:
        """Answer by this model, whose replies are kept.

        Raises:
            LLMError: there is no answer.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with the context that was found for it."""

    question: LabelledQuestion
    context: Context
    seconds: float
    """Search and making the context."""


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that `Memory.ask` cannot follow: it searches in the recipe's way.

    Raises:
        InvalidArgumentError: any but `rerank_ms`.
    """
    other = [name for name in options if name not in _OF_ASK]
    if other:
        accepted = f"{', '.join(_OF_ASK)} when Memory.ask answers (reader 'read' takes all)"
        raise invalid("options", other[0], accepted)


class ByMemory:
    """The product's own way: `Memory.ask`, with the plan, depth and tokens of the memory's recipe.

    Args:
        memory: opened with the recipe whose way of answering is to be measured.
        tokens: of the context; `None`: the recipe's.
        options: of the evaluation's searches; see `check_options`.
    """

    def __init__(self, memory: Memory, tokens: int | None, options: Mapping[str, Any]) -> None:
        check_options(options)
        self._memory = memory
        self._tokens = tokens
        self._rerank_ms = int(options.get("rerank_ms") or 0)

    async def respond(self, question: LabelledQuestion, model: KeptModel) -> Responded:
        """See `Responder.respond`. Nothing that came after the question is found, and nothing is used by it."""
        asked = self._memory._checked_question(
            question.text,
            user=question.user,
            tokens=self._tokens,
            plan=None,
            k=None,
            now=question.now,
            between=None if question.until is None else (None, question.until),
            rerank_ms=self._rerank_ms,
            track=False,
        )
        answering = Answering(self._memory._engine, model, self._memory._processing.recipe.name)
        answer = await answering.answer(await answering.prepare(asked))
        times, by_rules = answer.timings, asked.plan is None
        return Responded(
            text=answer.text if answer.enough else "",
            enough=answer.enough,
            sources=answer.sources,
            context_tokens=answer.context.tokens,
            records=len(answer.context.sources),
            retrieval_seconds=times.search + times.context + (times.planning if by_rules else 0.0),
            plan_failed=any(reason.startswith(FELL_BACK) for reason in answer.plan.reasons),
        )


class ByPrompt:
    """One prompt for every recipe, over contexts that `evaluate`'s searches found: recipes then differ in their
    memories only."""

    def __init__(self, asked: Mapping[str, Asked], reader: Reader) -> None:
        self._asked = asked
        self._reader = reader

    async def respond(self, question: LabelledQuestion, model: KeptModel) -> Responded:
        """See `Responder.respond`."""
        asked = self._asked[question.id]
        read = await self._reader(model, read_prompt(question, asked.context))
        return Responded(
            text=read.text,
            enough=read.enough,
            context_tokens=asked.context.tokens,
            records=len(asked.context.sources),
            retrieval_seconds=asked.seconds,
        )
