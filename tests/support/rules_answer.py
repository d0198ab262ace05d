"""Rules for `answer` and `answer_text`: the memory that shares most words with the question, the latest of several."""

from __future__ import annotations

import re
from typing import Any

from scripted_llm import Asked

__all__ = ["RULES", "answer", "answer_text"]

_LINE = re.compile(r"\[(#\d+[^\]]*)\] (.*)")
_NUMBER = re.compile(r"#(\d+)")
_WORD = re.compile(r"\w{3,}")
_EMPTY = set(
    _WORD.findall("the and did does was were what when where who whom how why for with has have had")
)


def answer(asked: Asked) -> dict[str, Any]:
    """The text of one memory, with the numbers of all that say the same."""
    (question,) = asked.data["question"]
    wanted = _words(question)
    best: tuple[int, str, list[int]] = (0, "", [])
    for line in asked.data["summaries"] + asked.data["memories"]:
        if found := _LINE.fullmatch(line):
            shared = len(wanted & _words(found[2]))
            if shared and shared >= best[0]:
                best = (shared, found[2], [int(number) for number in _NUMBER.findall(found[1])])
    return {"answer": best[1], "sources": best[2], "enough": bool(best[0])}


def answer_text(asked: Asked) -> str:
    """The same in words, with the line of sources."""
    said = answer(asked)
    if not said["enough"]:
        return "Sources: none"
    return f"{said['answer']}\nSources: {', '.join(map(str, said['sources']))}"


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)} - _EMPTY


RULES = {"answer": answer, "answer_text": answer_text}
