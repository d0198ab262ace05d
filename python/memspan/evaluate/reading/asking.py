"""Let a reader answer the questions of a file, and a judge look at the answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from memspan.arguments import as_integer
from memspan.errors import LLMError
from memspan.formats.questions import LabelledQuestion
from memspan.llm import LLM, Prompt, Usage
from memspan.llm.background import run_in_background
from memspan.recall.context import Context

from .judge import Manner, ajudge, judge_prompt
from .kept import Kept, key_of
from .locomo_f1 import stemmed_f1
from .reader import Read, Reader, read_prompt, read_with

__all__ = ["AnsweredBy", "Asked", "Reading", "answer_all"]

_HOPELESS: Final = 10
"""So many failures in a row, and no more is asked."""
_STRICT: Final = ("longmemeval", "beam", "halumem")
"""Data sets that are judged by LongMemEval's strict rules; the papers judge the others generously."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Who answers and who judges."""

    llm: LLM
    judge: LLM | None = None
    address: str = ""
    """Of the models' server, where replies of models of the same name are told apart."""
    at_once: int = 8
    """Questions asked at once."""
    reader: Reader = read_with
    """How the reader is asked."""

    def __post_init__(self) -> None:
        as_integer(self.at_once, "at_once", 1, 4096)
        stemmed_f1("word", "word")  # what it needs is missed now, not after the model was paid

    def manner(self, data_set: str) -> Manner:
        """How a data set's answers are judged."""
        return "strict" if data_set in _STRICT else "generous"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with the context that was found for it."""

    question: LabelledQuestion
    context: Context
    seconds: float
    """Search and making the context."""


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
    judge_failure: str | None
    context_tokens: int
    records: int
    """In the context."""
    retrieval_seconds: float
    usage: Usage
    """Of the answer, also when it was kept from an earlier run."""
    judge_usage: Usage


def answer_all(
    asked: Sequence[Asked],
    reading: Reading,
    *,
    data_set: str,
    store: Path,
    advance: Callable[[int], object],
) -> list[AnsweredBy]:
    """Answer all questions, in order, several at once; replies are kept beside `store`. An interrupt ends it, and the
    next call goes on."""
    work = _Work(reading, reading.manner(data_set), store, advance)
    return run_in_background(work.run(asked))


class _Work:
    def __init__(
        self, reading: Reading, manner: Manner, store: Path, advance: Callable[[int], object]
    ) -> None:
        self._reading = reading
        self._manner: Manner = manner
        self._answers = Kept(store.with_suffix(".answers.jsonl"))
        self._verdicts = Kept(store.with_suffix(".verdicts.jsonl"))
        self._advance = advance
        self._gate = asyncio.Semaphore(reading.at_once)
        self._failures = 0

    async def run(self, asked: Sequence[Asked]) -> list[AnsweredBy]:
        tasks = [asyncio.ensure_future(self._one(each)) for each in asked]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:  # after an error that is not the model's, such as a full disk
                task.cancel()

    async def _one(self, asked: Asked) -> AnsweredBy:
        async with self._gate:
            read, failure = await self._try(self._read(asked))
            correct, usage, judge_failure = None, Usage(), None
            if read is not None and self._reading.judge is not None and self._is_judged(asked.question):
                verdict, judge_failure = await self._try(self._judge(self._reading.judge, asked, read))
                if verdict is not None:
                    correct, usage = verdict
            self._advance(1)
        return AnsweredBy(
            question=asked.question,
            text="" if read is None else read.text,
            enough=read is not None and read.enough,
            failure=failure,
            correct=correct,
            judge_failure=judge_failure,
            context_tokens=asked.context.tokens,
            records=len(asked.context.sources),
            retrieval_seconds=asked.seconds,
            usage=Usage() if read is None else read.usage,
            judge_usage=usage,
        )

    def _is_judged(self, question: LabelledQuestion) -> bool:
        """Whether there is something to judge against. LoCoMo's adversarial questions have their own rule."""
        return question.answer is not None and (question.answerable or self._manner == "strict")

    async def _try(self, work: Any) -> tuple[Any, str | None]:
        """A value, or why there is none."""
        if self._failures >= _HOPELESS:
            work.close()
            return None, f"not asked: the server failed {_HOPELESS} times in a row"
        try:
            value = await work
        except LLMError as error:
            self._failures += 1
            return None, f"{type(error).__name__}: {error}"
        self._failures = 0
        return value, None

    async def _read(self, asked: Asked) -> Read:
        prompt = read_prompt(asked.question, asked.context)
        key = self._key(self._reading.llm, prompt)
        kept = self._answers.get(key)
        if kept is not None:
            return Read(text=kept["text"], enough=kept["enough"], usage=Usage(**kept["usage"]))
        read = await self._reading.reader(self._reading.llm, prompt)
        value = {"text": read.text, "enough": read.enough, "usage": asdict(read.usage)}
        self._answers.put(key, {"question": asked.question.id, "model": self._reading.llm.model, **value})
        return read

    async def _judge(self, judge: LLM, asked: Asked, read: Read) -> tuple[bool, Usage]:
        question, said = asked.question, _said(read)
        expected, category = question.answer or "", question.category
        prompt = judge_prompt(question.text, expected, said, manner=self._manner, category=category)
        key = self._key(judge, prompt)
        kept = self._verdicts.get(key)
        if kept is not None:
            return kept["correct"], Usage(**kept["usage"])
        reply = await ajudge(judge, question.text, expected, said, manner=self._manner, category=category)
        value = {"correct": reply.value.correct, "reason": reply.value.reason, "usage": asdict(reply.usage)}
        self._verdicts.put(key, {"question": question.id, "model": judge.model, **value})
        return reply.value.correct, reply.usage

    def _key(self, llm: LLM, prompt: Prompt) -> str:
        return key_of(llm.model, self._reading.address, prompt)


def _said(read: Read) -> str:
    """What a judge is shown."""
    return read.text if read.enough else "There is not enough information to answer this."
