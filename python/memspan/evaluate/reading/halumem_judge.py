"""Judging memories and answers of HaluMem, in our own words with the criteria of its authors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from memspan.errors import missing_extra
from memspan.llm import LLM
from memspan.llm.prompts import render

from .halumem import Extracted, Outcome

try:
    from pydantic import BaseModel
except ImportError as _error:
    raise missing_extra("pydantic", "judging memories", "llm") from _error

__all__ = ["Coverage", "Judgement", "Support", "judge_coverage", "judge_outcome", "judge_support"]


class Coverage(BaseModel):
    """How far a point is remembered."""

    reason: str
    score: Literal[0, 1, 2]


class Support(BaseModel):
    """How far a memory is right."""

    reason: str
    score: Literal[0, 1, 2]
    expected: bool


class Judgement(BaseModel):
    """What kind of answer it is."""

    reason: str
    outcome: Outcome


async def judge_coverage(llm: LLM, point: str, memories: Sequence[str]) -> int:
    """How far the memories of a session cover a point of its labels: 2, 1 or 0. Without memories nobody is asked.

    Raises:
        LLMError: the judge gave no verdict.
    """
    if not memories:
        return 0
    prompt = render("halumem_coverage", data={"point": point, "memories": list(memories)})
    return (await llm.acomplete(prompt, Coverage, stage="judge")).value.score


async def judge_support(llm: LLM, memory: str, dialogue: Sequence[str], points: Sequence[str]) -> Extracted:
    """How far the dialogue of its session, a turn a line, supports a memory, and whether the labels hold it.

    Raises:
        LLMError: the judge gave no verdict.
    """
    data = {"memory": memory, "dialogue": list(dialogue), "points": list(points)}
    value = (await llm.acomplete(render("halumem_support", data=data), Support, stage="judge")).value
    return Extracted(score=value.score, expected=value.expected)


async def judge_outcome(
    llm: LLM, question: str, expected: str, points: Sequence[str], answer: str
) -> Outcome:
    """Whether an answer is right, made up, or leaves out what was asked.

    Raises:
        LLMError: the judge gave no verdict.
    """
    data = {"question": question, "expected": expected, "points": list(points), "reply": answer}
    return (await llm.acomplete(render("halumem_answer", data=data), Judgement, stage="judge")).value.outcome
