"""Rule for `plan`: no model, but it reads the question, what is known, and what the rules found."""

from __future__ import annotations

import re
from typing import Any

from scripted_llm import Asked

__all__ = ["RULES", "plan"]

_CAPITAL = re.compile(r"(?<!^)\b[A-Z][\w']+")
_SEVERAL = re.compile(r"\b(?:all|how many|both|and|change[ds]?|compare[ds]?)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def plan(asked: Asked) -> dict[str, Any]:
    """Complex by the words that ask for several things; what is known and named in the question."""
    (question,) = asked.data["question"]
    (known,) = asked.data["known"]
    (rules,) = asked.data["rules"]
    words = {word.lower() for word in _WORD.findall(question)}
    named = [name for name in known["people"] if name.lower() in words]
    return {
        "complexity": min(5, 1 + 2 * len(_SEVERAL.findall(question))),
        "query": question.rstrip("?! ") + ".",
        "keywords": _CAPITAL.findall(question),
        "times": [{"start": start, "end": end} for start, end in rules["times"]],
        "names": named,
        "tags": [tag for tag in known["tags"] if tag in words][:3],
        "reason": "words of the question",
    }


RULES = {"plan": plan}
