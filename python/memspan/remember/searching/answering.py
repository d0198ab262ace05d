"""Answer a question: plan, search, lay out, ask, and tie the answer to its sources."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import Any, Final

from memspan.base.worker_threads import beside
from memspan.errors import ForgottenError, LLMError, StoreError
from memspan.llm import LLM, Usage
from memspan.llm.deadline import spent_by
from memspan.llm.prompts import render
from memspan.llm.protocol import Ready
from memspan.llm.when_ready import complete, takes_ready
from memspan.recall.answer.result import NOT_ENOUGH, Answer, AnswerTimings
from memspan.recall.answer.shown import Shown, shown_memories
from memspan.recall.answer.text_reply import TextReply
from memspan.recall.context import Budget
from memspan.recall.moment import moment_line
from memspan.recall.plan import Plan
from memspan.recall.plan_by_model import PlanByModel, Withheld
from memspan.recall.planner import plan_by_rules
from memspan.recall.vocabulary import Vocabulary
from memspan.remember.asynchronous import in_writers_thread
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.remember.forgetting.unforgotten import learnt_at, unforgotten
from memspan.times import TimeLike, zone_of

from .asking import when_asked
from .contexts import following_of
from .recall import Recalls
from .withheld_names import withheld_names

__all__ = ["Answering", "Prepared", "Question"]

_logger = logging.getLogger("memspan")

_TRIES: Final = 8
"""How often a question is prepared whose memories are forgotten each time before the model gets them."""

Search = Callable[[Plan, int], Recalls]
"""Runs the search of a plan, for so many memories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A checked question to a user's memory."""

    text: str
    user: str
    now: TimeLike | None
    as_of: datetime | None
    """As what was believed when it is answered; `None`: now."""
    plan: Plan | PlanByModel | None
    """Whose plan; `None`: that of the rules."""
    depth: Callable[[Plan], int]
    """How many memories are looked up."""
    budget: Budget
    least_confidence: float
    search: Search
    history: tuple[dict[str, str], ...] = ()
    """What was said right before it."""
    then: bool = False
    """Whether it is about another time, and what was believed or true then."""
    vault: bool = False
    """Whether it asks for the vault by name."""


@dataclass(slots=True)
class Prepared:
    """A question with what was found for it."""

    question: Question
    now: datetime
    plan: Plan
    shown: Shown
    timings: AnswerTimings
    usage: Usage
    refusal: str | None
    """Why the model need not be asked."""
    tries: int = 1
    """How often it was prepared."""
    model: str | None = None
    remarks: list[str] = field(default_factory=list)

    @property
    def data(self) -> dict[str, Any]:
        """Of the prompts."""
        return {
            "question": self.question.text,
            "asked": moment_line(self.now),
            "history": list(self.question.history),
            "summaries": self.shown.summaries,
            "memories": self.shown.memories,
        }


class Answering:
    """The steps, for one memory and one model. What waits for the disk runs in worker threads; safe to share.

    Args:
        recipe: under whose name the usage is counted.
    """

    def __init__(self, engine: Engine, llm: LLM, recipe: str) -> None:
        self._engine = engine
        self._llm = llm
        self._recipe = recipe

    async def prepare(self, question: Question, spent: Usage | None = None) -> Prepared:
        """Plan, search and lay out; the model is asked only where it plans.

        Args:
            spent: on the same question until now.

        Raises:
            InvalidArgumentError: an argument that the search refuses.
        """
        start = perf_counter()
        now, vocabulary, empty = await beside(_circumstances, self._engine, question)
        usage = spent or Usage()
        if isinstance(question.plan, Plan):
            plan = question.plan
        else:
            plan = await beside(plan_by_rules, question.text, now=now, vocabulary=vocabulary)
            if question.plan is not None and not empty:
                try:
                    planned = await question.plan.plan(
                        self._llm,
                        plan,
                        now=now,
                        vocabulary=vocabulary,
                        history=question.history,
                        withheld=await beside(_withheld, self._engine, question),
                        ready=partial(_require_names, self._engine, question, vocabulary),
                    )
                except asyncio.CancelledError as error:
                    await self._failed(question.user, "plan", error)
                    raise
                plan, usage = planned.plan, usage + planned.usage
                await self._count(question.user, "plan", planned.model, planned.usage)
        planned_at = perf_counter()
        recalls = await beside(question.search, plan, question.depth(plan))
        searched_at = perf_counter()
        shown = await beside(_shown, self._engine, question, recalls)
        timings = AnswerTimings(
            planning=0.0 if isinstance(question.plan, Plan) else planned_at - start,
            search=searched_at - planned_at,
            context=perf_counter() - searched_at,
        )
        return Prepared(question, now, plan, shown, timings, usage, _refusal(question, recalls, shown))

    async def answer(self, prepared: Prepared) -> Answer:
        """Ask for the answer as an object. When a memory was forgotten by then, all begins anew without it.

        Raises:
            LLMError: the model failed. What it cost is counted all the same, also when it is cancelled.
            TruncatedReplyError: the memories are too many for the model; give it fewer tokens.
        """
        if prepared.refusal is not None:
            return _no_answer(prepared)
        from memspan.recall.answer.reply import AnswerReply

        start = perf_counter()
        prompt = render("answer", data=prepared.data)
        try:
            reply = await complete(
                self._llm, prompt, AnswerReply, stage="answer", ready=self._unforgotten(prepared)
            )
        except ForgottenError as error:
            return await self.answer(await self._prepare_again(prepared, error))
        except (LLMError, asyncio.CancelledError) as error:
            await self._failed(prepared.question.user, "answer", error)
            if isinstance(error, LLMError):
                _add_earlier(prepared, error)
            raise
        await self._answered(prepared, reply.model, reply.usage, start)
        prepared.remarks += reply.remarks
        text = reply.value.answer.strip()
        if not text or not reply.value.enough:
            return _answer(prepared, NOT_ENOUGH, (), enough=False)
        return _answer(prepared, text, reply.value.sources, enough=True)

    async def stream(self, prepared: Prepared) -> AsyncGenerator[str | Answer, None]:
        """The answer's text in pieces, then the answer. A model that cannot stream gives one piece. When a memory was
        forgotten before anything was sent, all begins anew without it.

        Raises:
            LLMError: the model failed, before or after some of the pieces. What it cost is counted; one call when the
                stream is left after its first piece.
        """
        ask = getattr(self._llm, "astream", None)
        if prepared.refusal is not None or ask is None:
            answer = await self.answer(prepared)
            yield answer.text
            yield answer
            return
        start = perf_counter()
        reply, said, begun = TextReply(), "", False
        user = prepared.question.user
        again: Prepared | None = None
        try:
            stream = await self._asked_to_stream(ask, prepared)
            async with aclosing(aiter(stream)) as pieces:
                async for piece in pieces:
                    begun = True
                    if text := reply.feed(piece):
                        said += text
                        yield text
        except ForgottenError as error:
            again = await self._prepare_again(prepared, error)
        except LLMError as error:
            await self._failed(user, "answer", error)
            _add_earlier(prepared, error)
            raise
        except (asyncio.CancelledError, GeneratorExit):  # left early: the server will not say what it cost
            if begun:
                await self._count(user, "answer", self._llm.model, Usage(calls=1, uncounted=1))
            raise
        if again is not None:
            async with aclosing(self.stream(again)) as more:
                async for part in more:
                    yield part
            return
        await self._answered(prepared, stream.model, stream.usage, start)
        ending = reply.end()
        if stream.truncated:
            prepared.remarks.append("the answer was cut off because it grew too long")
        rest = ending.rest
        enough = bool(said + rest) and not ending.none
        if not said + rest:
            rest = NOT_ENOUGH
        if rest:
            yield rest
        yield _answer(prepared, said + rest, ending.numbers if enough else (), enough=enough)

    async def _asked_to_stream(self, ask: Any, prepared: Prepared) -> Any:
        ready = self._unforgotten(prepared)
        prompt = render("answer_text", data=prepared.data)
        if takes_ready(ask):
            return ask(prompt, stage="answer", ready=ready)
        await ready()
        return ask(prompt, stage="answer")

    def _unforgotten(self, prepared: Prepared) -> Ready:
        context = prepared.shown.context
        shown = {source.id for source in context.sources}
        records = (recall.record for recall in context.recalls if recall.id in shown)
        return unforgotten(self._engine, prepared.question.user, learnt_at(records))

    async def _prepare_again(self, prepared: Prepared, error: ForgottenError) -> Prepared:
        """Without what was forgotten, which is not sent to the model any more."""
        await self._failed(prepared.question.user, "answer", error)
        if prepared.tries == _TRIES:
            raise error
        again = await self.prepare(prepared.question, prepared.usage + (spent_by(error) or Usage()))
        again.tries = prepared.tries + 1
        return again

    async def _answered(self, prepared: Prepared, model: str, usage: Usage, start: float) -> None:
        prepared.model = model
        prepared.usage += usage
        prepared.timings = replace(prepared.timings, answering=perf_counter() - start)
        await self._count(prepared.question.user, "answer", model, usage)

    async def _failed(self, user: str, stage: str, error: BaseException) -> None:
        if (spent := spent_by(error)) is not None:
            await self._count(user, stage, self._llm.model, spent)

    async def _count(self, user: str, stage: str, model: str, usage: Usage) -> None:
        """Put what a call cost into the store. An answer that was paid for is not lost because that fails."""
        if usage == Usage():
            return

        def put() -> None:
            with self._engine.store.writing() as writer:
                writer.jobs.add_usage(user, self._recipe, stage, model, usage)

        try:
            await in_writers_thread(put)
        except StoreError as error:
            _logger.warning("what a model cost could not be counted: %s", error)


def _add_earlier(prepared: Prepared, error: LLMError) -> None:
    """What the plan and earlier tries cost is the caller's to know, too; it is counted already."""
    if prepared.usage != Usage():
        error.usage = prepared.usage + (spent_by(error) or Usage())


@survives_damage
def _circumstances(engine: Engine, question: Question) -> tuple[datetime, Vocabulary, bool]:
    """When it is asked, what the user's memories call things, and whether there are none."""
    engine.require_open()
    index = engine.current()
    vocabulary = engine.vocabularies.of(index, question.user, retired=question.then)
    empty = not len(index.latest(user=question.user, k=1).ats)
    return when_asked(index, question.user, question.now, question.as_of), vocabulary, empty


@survives_damage
def _withheld(engine: Engine, question: Question) -> Withheld:
    """What a model is not told: of what has run out, and of the vault for whoever does not ask for it."""
    return withheld_names(engine.store, engine.current(), question.user, vault=question.vault)


async def _require_names(engine: Engine, question: Question, shown: Vocabulary) -> None:
    """Refuses a request with names that no memory has any more."""
    _, now, _ = await beside(_circumstances, engine, question)
    if now is not shown and not set(shown.entries) <= set(now.entries):
        raise ForgottenError("a name that was to be sent was forgotten after it was read; it was not sent")


@survives_damage
def _shown(engine: Engine, question: Question, recalls: Recalls) -> Shown:
    after = following_of(engine, question.user, recalls)
    return shown_memories(
        question.text,
        recalls,
        question.budget,
        after=after,
        analyzer=engine.analyzer,
        zone=zone_of(question.now),
    )


def _refusal(question: Question, recalls: Recalls, shown: Shown) -> str | None:
    if not recalls:
        return "nothing was found"
    if not shown.context.sources:
        return "no memory fits into the tokens"
    if recalls.confidence is not None and recalls.confidence < question.least_confidence:
        return f"the confidence is {recalls.confidence:.2f}, below {question.least_confidence:.2f}"
    return None


def _no_answer(prepared: Prepared) -> Answer:
    prepared.remarks.append(f"the model was not asked: {prepared.refusal}")
    return _answer(prepared, NOT_ENOUGH, (), enough=False)


def _answer(prepared: Prepared, text: str, numbers: Sequence[int], *, enough: bool) -> Answer:
    sources, unknown = prepared.shown.cited(numbers)
    if unknown:
        named = ", ".join(map(str, unknown[:10]))
        prepared.remarks.append(f"the model names memories that it was not shown: {named}")
    if enough and not sources:
        prepared.remarks.append("the model names no source that exists")
    return Answer(
        text=text,
        sources=sources,
        enough=enough,
        plan=prepared.plan,
        usage=prepared.usage,
        timings=prepared.timings,
        context=prepared.shown.context,
        model=prepared.model,
        remarks=tuple(prepared.remarks),
    )
