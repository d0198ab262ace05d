"""The calls of `Memory` that answer questions with a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memspan.arguments import as_integer, as_number, as_texts
from memspan.base.worker_threads import beside
from memspan.errors import invalid
from memspan.limits import MAX_K
from memspan.llm.background import run_in_background
from memspan.recall.answer import Answer, AnswerStream
from memspan.recall.chat_history import ChatHistory, checked_history
from memspan.recall.context import TokenCounter, checked_budget
from memspan.recall.plan import Plan
from memspan.recall.plan_by_model import MAX_DEADLINE_MS, PlanByModel
from memspan.recipes.reading import PLANNERS, Reading
from memspan.remember.input.fields import checked_name, checked_text
from memspan.remember.searching.answering import Answering, Question
from memspan.remember.searching.recall import Recalls
from memspan.times import Between, TimeLike, from_micros, to_likely_micros

from .searching import SearchingCalls

if TYPE_CHECKING:
    from memspan.llm import LLM

__all__ = ["AnsweringCalls"]


class AnsweringCalls(SearchingCalls):
    """See `Memory`."""

    def ask(
        self,
        question: str,
        *,
        user: str,
        tokens: int | None = None,
        plan: Plan | str | None = None,
        k: int | None = None,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        rerank_ms: int = 0,
        plan_ms: int = 10_000,
        least_confidence: float = 0.0,
        count_tokens: TokenCounter | None = None,
        history: ChatHistory = (),
    ) -> Answer:
        """Answer a question from a user's memories, with the language model of this memory.

        A search finds memories, as many as fit into the tokens are shown to the model, and it answers from these
        alone, from the most recent where they contradict each other, and names those that its answer comes from. What
        it names is checked. Memories and question are sent to the model's server. What they say never instructs the
        model: they are quoted as data.

        Example:
            >>> memory = memspan.Memory("agent.memspan", llm="gpt-4.1-mini")
            >>> answer = memory.ask("Which city was it that I moved to?", user="ana")
            >>> answer.text, answer.sources, answer.enough
            ('Bergen.', ('m1',), True)

        Args:
            question: in plain words.
            user: an unknown user has no memories, and no model is asked about none.
            tokens: the most that the memories may have; the prompt's own words come on top. `None`: the recipe's, 600
                unless it says otherwise.
            plan: `rules`; `model`, which lets the model plan first, from the plan of the rules; or a plan of your own.
                `None`: the recipe's.
            k: how many memories are looked up. `None`: what a plan of yours or the model's says, else the recipe's
                range, else as many as the tokens hold.
            between, now, as_of, valid_at, kinds, require_tags, where, exclude, rerank_ms: as in `search`.
            plan_ms: what the model has for its plan, 1 to 600,000 milliseconds; then the plan of the rules is used.
            least_confidence: 0-1; answer that there is not enough, without asking the model, where
                `search(confidence=True)` is less sure that there is an answer. 0: do not look, the model decides. It
                costs a second native search.
            count_tokens: as in `context`.
            history: what was said right before the question, in the conversation that it is asked in: texts, or
                mappings with `role` and `content`, oldest first. It tells the model whom "she" means; plans by rules do
                not read it, and no answer is taken from it. The last ten with a text count.

        Returns:
            An `Answer`. Where the memories do not answer the question its text is "Not enough information in the
            memory." and `enough` is false.

        Raises:
            InvalidArgumentError: or its subclass `TimeError` or `WhereError`: an argument is not acceptable, or the
                memory was opened without `llm`.
            EmbedderError, EmbedderMismatchError: as in `search`.
            LLMError: the model cannot be reached, or failed; what it cost is in `usage()` all the same.
            ForgottenError: memories that were found were forgotten before the model got them, eight times in a row.
            MissingExtraError, ModelNotFoundError, RerankerError: something that is needed is not here, or failed.
        """
        answering, asked = self._question(
            question,
            user=user,
            tokens=tokens,
            plan=plan,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            rerank_ms=rerank_ms,
            plan_ms=plan_ms,
            least_confidence=least_confidence,
            count_tokens=count_tokens,
            history=history,
        )
        return run_in_background(_answer(answering, asked))

    async def aask(
        self,
        question: str,
        *,
        user: str,
        tokens: int | None = None,
        plan: Plan | str | None = None,
        k: int | None = None,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        rerank_ms: int = 0,
        plan_ms: int = 10_000,
        least_confidence: float = 0.0,
        count_tokens: TokenCounter | None = None,
        history: ChatHistory = (),
    ) -> Answer:
        """Asynchronous form of `ask`; cancelling the task ends the request."""
        answering, asked = await self._aquestion(
            question,
            user=user,
            tokens=tokens,
            plan=plan,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            rerank_ms=rerank_ms,
            plan_ms=plan_ms,
            least_confidence=least_confidence,
            count_tokens=count_tokens,
            history=history,
        )
        return await _answer(answering, asked)

    def stream_answer(
        self,
        question: str,
        *,
        user: str,
        tokens: int | None = None,
        plan: Plan | str | None = None,
        k: int | None = None,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        rerank_ms: int = 0,
        plan_ms: int = 10_000,
        least_confidence: float = 0.0,
        count_tokens: TokenCounter | None = None,
        history: ChatHistory = (),
    ) -> AnswerStream:
        """The same as `ask`, the answer's text in pieces as it comes.

        The search is done when this returns. The model is asked when the stream is read, in words and not for JSON;
        the line in which it names its sources is kept back.

        Returns:
            An `AnswerStream`: `for piece in stream`, or `async for`; then `stream.answer`.

        Raises:
            As `ask`. What fails while the answer comes, the loop raises.
        """
        answering, asked = self._question(
            question,
            user=user,
            tokens=tokens,
            plan=plan,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            rerank_ms=rerank_ms,
            plan_ms=plan_ms,
            least_confidence=least_confidence,
            count_tokens=count_tokens,
            history=history,
        )
        return run_in_background(_stream(answering, asked))

    async def astream_answer(
        self,
        question: str,
        *,
        user: str,
        tokens: int | None = None,
        plan: Plan | str | None = None,
        k: int | None = None,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        rerank_ms: int = 0,
        plan_ms: int = 10_000,
        least_confidence: float = 0.0,
        count_tokens: TokenCounter | None = None,
        history: ChatHistory = (),
    ) -> AnswerStream:
        """Asynchronous form of `stream_answer`: `async for piece in await memory.astream_answer(...)`."""
        answering, asked = await self._aquestion(
            question,
            user=user,
            tokens=tokens,
            plan=plan,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            rerank_ms=rerank_ms,
            plan_ms=plan_ms,
            least_confidence=least_confidence,
            count_tokens=count_tokens,
            history=history,
        )
        return await _stream(answering, asked)

    def _question(self, question: str, **asking: Any) -> tuple[Answering, Question]:
        """Check what can be checked before anything is asked."""
        asked = self._checked_question(question, **asking)
        return Answering(self._engine, self._model(), self._processing.recipe.name), asked

    async def _aquestion(self, question: str, **asking: Any) -> tuple[Answering, Question]:
        """The same for a task. To make the model may take a second, and not the event loop's."""
        if self._processing.model_is_made:
            return self._question(question, **asking)
        return await beside(self._question, question, **asking)

    def _checked_question(
        self,
        question: str,
        *,
        user: str,
        tokens: int | None,
        plan: Plan | str | None,
        k: int | None,
        now: TimeLike | None,
        rerank_ms: int,
        plan_ms: int = 10_000,
        least_confidence: float = 0.0,
        count_tokens: TokenCounter | None = None,
        history: ChatHistory = (),
        **filters: Any,
    ) -> Question:
        """What `ask` is told, with what the recipe says of the rest; needs no model."""
        read = self._processing.recipe.read
        text = checked_text(question, "question")
        if not text.strip():
            raise invalid("question", question, "text that is not blank")
        if now is not None:
            to_likely_micros(now, "now")
        planner = _planner(read.plan if plan is None else plan, plan_ms, read)
        budget = checked_budget(read.tokens if tokens is None else tokens, None, count_tokens)
        if k is not None:
            as_integer(k, "k", 1, MAX_K)
        least = as_number(least_confidence, "least_confidence", 0, 1)

        def depth(made: Plan) -> int:
            if k is not None:
                return k
            if planner is not None:
                return made.k
            if read.least is None or read.most is None:
                return budget.k
            return min(max(made.k, read.least), read.most)

        def search(made: Plan, depth: int) -> Recalls:
            return self.search(
                text,
                user=user,
                k=depth,
                now=now,
                plan=made,
                rerank_ms=rerank_ms,
                route=read.route,
                confidence=least > 0,
                **filters,
            )

        return Question(
            text=text,
            user=checked_name(user, "user"),
            now=now,
            as_of=None
            if (then := filters.get("as_of")) is None
            else from_micros(to_likely_micros(then, "as_of")),
            plan=planner,
            depth=depth,
            budget=budget,
            least_confidence=least,
            search=search,
            history=checked_history(history),
            then=any(filters.get(name) is not None for name in ("as_of", "valid_at")),
            vault="vault" in as_texts(filters.get("kinds") or (), "kinds"),
        )

    def _model(self) -> LLM:
        self._engine.require_open()
        llm = self._processing.llm()
        if llm is None:
            raise invalid(
                "llm", None, "a language model that answers: open the memory with Memory(path, llm=...)"
            )
        return llm


def _planner(plan: Any, deadline_ms: int, read: Reading) -> Plan | PlanByModel | None:
    as_integer(deadline_ms, "plan_ms", 1, MAX_DEADLINE_MS)
    if isinstance(plan, Plan):
        return plan
    if plan not in PLANNERS:
        raise invalid("plan", plan, " | ".join(PLANNERS) + ", or a memspan.recall.Plan")
    if plan == "rules":
        return None
    if read.least is None or read.most is None:
        return PlanByModel(deadline_ms=deadline_ms)
    return PlanByModel(least=read.least, most=read.most, deadline_ms=deadline_ms)


async def _answer(answering: Answering, question: Question) -> Answer:
    return await answering.answer(await answering.prepare(question))


async def _stream(answering: Answering, question: Question) -> AnswerStream:
    prepared = await answering.prepare(question)
    return AnswerStream(
        lambda: answering.stream(prepared), plan=prepared.plan, context=prepared.shown.context
    )
