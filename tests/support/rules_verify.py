"""Rules for `question` and `evidence`: the words of a statement are looked for in the turns."""

from __future__ import annotations

import re
from typing import Any

from rules_statements import statement_of
from scripted_llm import Asked

__all__ = ["RULES", "evidence", "question"]

_WORD = re.compile(r"\w+")
_ENOUGH = 0.5


def question(asked: Asked) -> dict[str, Any]:
    """The statement as a question."""
    return {
        "questions": [
            {"n": line["n"], "question": f"Is it so that {line['statement']}?"}
            for line in asked.data["statements"]
        ]
    }


def evidence(asked: Asked) -> dict[str, Any]:
    """The numbered turn that has most of the question's words, if it has half of them."""
    answers = []
    turns = [line for line in asked.data["turns"] if "n" in line]
    for line in asked.data["questions"]:
        wanted = _words(line["question"]) - {"is", "it", "so", "that", "said"}
        best = max(turns, key=lambda turn: len(wanted & _words(statement_of(turn))))
        found = len(wanted & _words(statement_of(best))) >= _ENOUGH * len(wanted)
        answers.append(
            {
                "n": line["n"],
                "found": found,
                "statement": statement_of(best) if found else "",
                "turns": [best["n"]] if found else [],
                "timestamp": "",
                "reason": "" if found else "nobody says so",
            }
        )
    return {"answers": answers}


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


RULES = {"question": question, "evidence": evidence}
