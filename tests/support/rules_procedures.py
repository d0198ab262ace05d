"""Rule for `procedures`: everything between two things that people said is one task, told in the words of its calls."""

from __future__ import annotations

import re
from typing import Any

from scripted_llm import Asked

__all__ = ["RULES", "procedures"]

_NAME = re.compile(r"^(\w+)\(", re.MULTILINE)


def procedures(asked: Asked) -> dict[str, Any]:
    """One procedure for each stretch with two numbered lines or more."""
    found: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []

    def end() -> None:
        if len(steps) > 1:
            last = steps[-1]["does"]
            found.append(
                {
                    "name": f"{last} properly",
                    "when": f"Somebody wants to {last}.",
                    "steps": list(steps),
                    "worked": True,
                }
            )
        steps.clear()

    for line in asked.data["turns"]:
        if "n" in line:
            names = _NAME.findall(line["text"])
            does = names[-1].replace("_", " ") if names else "act"
            if steps and steps[-1]["does"] == does:
                steps.pop()
            steps.append({"n": line["n"], "does": does})
        elif line.get("speaker") not in ("tool", "assistant"):
            end()
    end()
    return {"procedures": found}


RULES = {"procedures": procedures}
