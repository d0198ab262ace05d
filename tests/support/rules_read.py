"""Rules for `read` and the judges: no model, but they read what they are shown."""

from __future__ import annotations

import re
from typing import Any

from scripted_llm import Asked

__all__ = ["RULES", "judge", "read"]

_WORD = re.compile(r"\w+")


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if len(word) > 3}


def read(asked: Asked) -> dict[str, Any]:
    """The memory that has most of the question's longer words, the first of equal ones; none: not enough."""
    wanted = _words(asked.data["question"][0])
    lines = asked.data["memories"]
    best = max(lines, key=lambda line: len(wanted & _words(line)), default="")
    if not wanted & _words(best):
        return {"answer": "", "enough": False}
    return {"answer": best, "enough": True}


def judge(asked: Asked) -> dict[str, Any]:
    """Whether all words of the gold answer are in the reply."""
    gold, said = (set(_WORD.findall(asked.data[name][0].lower())) for name in ("expected", "reply"))
    return {"reason": "words", "correct": gold <= said}


_MANNERS = (
    "generous",
    "strict",
    *(f"strict_{part}" for part in ("temporal", "update", "preference", "abstention")),
)
RULES = {"read": read, **{f"judge_{manner}": judge for manner in _MANNERS}}
