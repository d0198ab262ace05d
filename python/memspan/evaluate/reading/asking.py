"""Let a reader answer the questions of a file, and a judge look at the answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from memspan.arguments import as_flag, as_integer
from memspan.errors import invalid
from memspan.formats.questions import LabelledQuestion
from memspan.llm import LLM, Usage
from memspan.llm.background import run_in_background
from memspan.recall.context import MAX_TOKENS

from .halumem import Outcome
from .halumem_judge import judge_outcome
from .judge import Manner, ajudge
from .kept import Kept
from .kept_model import KeptModel
from .locomo_f1 import stemmed_f1
from .reader import Reader, read_with
from .responding import Responded, Responder
from .tolerance import Tolerance

__all__ = ["READERS", "AnsweredBy", "Judging", "Reading", "answer_all"]

READERS: Final = ("ask", "read")
_STRICT: Final = ("longmemeval", "beam")
"""Data sets that are judged by LongMemEval's strict rules; the papers judge the others generously."""
_THREE_WAYS: Final = "halumem"

Judging: TypeAlias = Manner | Literal["halumem"]
"""`halumem`: right, made up, or left out, as its authors judge it."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Who answers and who judges."""

    llm: LLM
    judge: LLM | None = None
    address: str = ""
    """Of the reader's server, where replies of models of the same name are told apart."""
    judge_address: str | None = None
    """Of the judge's; `None`: the same."""
    at_once: int = 8
    """Questions asked at once."""
    reader: str | Reader = "ask"
    """`ask`: `Memory.ask`, the product's own way with the recipe's plan, depth and tokens. `read`: one prompt for all
    recipes, over the contexts that `evaluate`'s searches find. Or a function that asks the model in words of its
    own, over the same contexts."""
    tokens: int | None = None
    """Of the contexts that `ask` reads; `None`: the recipe's."""
    memories: bool = True
    """Let the judge look at HaluMem's memories as well: one call for each point of the labels, and one for each memory
    that was made."""

    def __post_init__(self) -> None:
        as_integer(self.at_once, "at_once", 1, 4096)
        as_flag(self.memories, "memories")
        if self.tokens is not None:
            as_integer(self.tokens, "tokens", 1, MAX_TOKENS)
        if self.reader not in READERS and not callable(self.reader):
            raise invalid("reader", self.reader, " | ".join(READERS) + ", or a function")
        stemmed_f1("word", "word")  # what it needs is missed now, not after the model was paid

    @property
    def by_memory(self) -> bool:
        """Whether `Memory.ask` answers."""
        return self.reader == "ask"

    @property
    def prompted(self) -> Reader:
        """How the model is asked over contexts."""
        return self.reader if callable(self.reader) else read_with

    def manner(self, data_set: str) -> Judging:
        """How a data set's answers are judged."""
        if data_set == _THREE_WAYS:
            return "halumem"
        return "strict" if data_set in _STRICT else "generous"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredBy:
    """A question that a reader was asked."""

    question: LabelledQuestion
    text: str
    """Empty when there was not enough to answer, or it failed."""
    enough: bool
    failure: str | None
    """Why there is no answer; `None` when there is one. Failures are in no average and are asked again next time."""
    correct: bool | None
    """What the judge says; `None` when nobody was asked, or it failed."""
    outcome: Outcome | None = None
    """For HaluMem: what kind of answer the judge says that it is."""
    judge_failure: str | None
    context_tokens: int
    records: int
    """In the context."""
    sources: tuple[str, ...] = ()
    """Ids of the records that the reader names; `Memory.ask` asks for them."""
    plan_failed: bool = False
    """A model was to plan the search and failed, so that the rules' plan was used."""
    retrieval_seconds: float
    usage: Usage
    """Of the answer, its plan included, also when it was kept from an earlier run."""
    judge_usage: Usage


def answer_all(
    questions: Sequence[LabelledQuestion],
    responder: Responder,
    reading: Reading,
    *,
    data_set: str,
    store: Path,
    advance: Callable[[int], object],
) -> list[AnsweredBy]:
    """Answer all questions, in order, several at once; replies are kept beside `store`. An interrupt ends it, and the
    next call goes on."""
    work = _Work(responder, reading, reading.manner(data_set), store, advance)
    return run_in_background(work.run(questions))


class _Work:
    def __init__(
        self,
        responder: Responder,
        reading: Reading,
        manner: Judging,
        store: Path,
        advance: Callable[[int], object],
    ) -> None:
        self._responder = responder
        self._reading = reading
        self._manner: Judging = manner
        self._answers = Kept(store.with_suffix(".answers.jsonl"))
        self._verdicts = Kept(store.with_suffix(".verdicts.jsonl"))
        self._advance = advance
        self._gate = asyncio.Semaphore(reading.at_once)
        self._tolerance = Tolerance()

    async def run(self, questions: Sequence[LabelledQuestion]) -> list[AnsweredBy]:
        tasks = [asyncio.ensure_future(self._one(each)) for each in questions]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:  # after an error that is not the model's, such as a full disk
                task.cancel()

    async def _one(self, question: LabelledQuestion) -> AnsweredBy:
        reading = self._reading
        model = KeptModel(reading.llm, reading.address, self._answers, question.id)
        async with self._gate:
            found, failure = await self._tolerance.wait_for(self._responder.respond(question, model))
            verdict, usage, judge_failure = _Verdict(None, None), Usage(), None
            if found is not None and reading.judge is not None and self._is_judged(question):
                judge = KeptModel(reading.judge, self._judge_address, self._verdicts, question.id)
                said, judge_failure = await self._tolerance.wait_for(self._judge(judge, question, found))
                verdict, usage = said or verdict, judge.spent
            self._advance(1)
        return AnsweredBy(
            question=question,
            text="" if found is None else found.text,
            enough=found is not None and found.enough,
            failure=failure,
            correct=verdict.correct,
            outcome=verdict.outcome,
            judge_failure=judge_failure,
            context_tokens=0 if found is None else found.context_tokens,
            records=0 if found is None else found.records,
            sources=() if found is None else found.sources,
            plan_failed=found is not None and found.plan_failed,
            retrieval_seconds=0.0 if found is None else found.retrieval_seconds,
            usage=model.spent,
            judge_usage=usage,
        )

    @property
    def _judge_address(self) -> str:
        own = self._reading.judge_address
        return self._reading.address if own is None else own

    def _is_judged(self, question: LabelledQuestion) -> bool:
        """Whether there is something to judge against. LoCoMo's adversarial questions have their own rule."""
        return question.answer is not None and (question.answerable or self._manner != "generous")

    async def _judge(self, judge: LLM, question: LabelledQuestion, found: Responded) -> _Verdict:
        expected, said = question.answer or "", _said(found)
        if self._manner == "halumem":
            outcome = await judge_outcome(judge, question.text, expected, question.points, said)
            return _Verdict(outcome == "correct", outcome)
        reply = await ajudge(
            judge, question.text, expected, said, manner=self._manner, category=question.category
        )
        return _Verdict(reply.value.correct, None)


@dataclass(frozen=True, slots=True)
class _Verdict:
    correct: bool | None
    outcome: Outcome | None


def _said(found: Responded) -> str:
    """What a judge is shown."""
    return found.text if found.enough else "There is not enough information to answer this."
