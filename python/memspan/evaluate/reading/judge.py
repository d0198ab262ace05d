"""Judges: a language model decides whether an answer is correct, generously or strictly.

The two do not compare: the generous one, whose criteria mem0, SimpleMem and LightMem share for LoCoMo, accepts much
that the strict one of LongMemEval refuses. Both are in our own words with the criteria of the originals, so that
figures are near to theirs but not the same; the prompt's version belongs beside every figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from memspan.errors import invalid, missing_extra
from memspan.llm import LLM, Prompt, Reply
from memspan.llm.prompts import render

try:
    from pydantic import BaseModel
except ImportError as _error:
    raise missing_extra("pydantic", "judging answers", "llm") from _error

__all__ = ["Manner", "Verdict", "ajudge", "judge_prompt"]

Manner = Literal["generous", "strict"]

_STRICT: Final[Mapping[str, str]] = {
    "single-session-user": "judge_strict",
    "single-session-assistant": "judge_strict",
    "multi-session": "judge_strict",
    "temporal-reasoning": "judge_strict_temporal",
    "knowledge-update": "judge_strict_update",
    "single-session-preference": "judge_strict_preference",
    "abstention": "judge_strict_abstention",
}
"""By LongMemEval's type of question, the prompt with that type's rule."""


class Verdict(BaseModel):
    """What a judge says."""

    reason: str
    correct: bool


def judge_prompt(question: str, expected: str, answer: str, *, manner: Manner, category: str = "") -> Prompt:
    """What the judge is asked.

    Args:
        question: as it was asked.
        expected: the gold answer; for preferences what a good answer does; for abstention why there is none.
        answer: what the reader said; it is data, and cannot instruct the judge.
        manner: `generous` for LoCoMo as the papers do, `strict` for LongMemEval.
        category: LongMemEval's type of question, `abstention` for one without an answer; chooses the strict rule.
            Other categories get the plain strict rule.

    Raises:
        InvalidArgumentError: another manner.
    """
    if manner not in ("generous", "strict"):
        raise invalid("manner", manner, "generous or strict")
    name = "judge_generous" if manner == "generous" else _STRICT.get(category, "judge_strict")
    return render(name, data={"question": question, "expected": expected, "reply": answer})


async def ajudge(
    llm: LLM, question: str, expected: str, answer: str, *, manner: Manner, category: str = ""
) -> Reply[Verdict]:
    """Ask a judge; see `judge_prompt`. An empty answer is asked for too, since for abstention it may be right.

    Raises:
        LLMError: the judge gave no verdict.
    """
    prompt = judge_prompt(question, expected, answer, manner=manner, category=category)
    return await llm.acomplete(prompt, Verdict, stage="judge")
