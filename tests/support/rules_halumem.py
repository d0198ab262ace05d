"""Rules for HaluMem's judges: no model, but they read what they are shown."""

from __future__ import annotations

from typing import Any

from scripted_llm import Asked

__all__ = ["RULES", "covered", "outcome", "supported"]


def covered(asked: Asked) -> dict[str, Any]:
    """Whether a memory says the point in its words."""
    (point,) = asked.data["point"]
    return {"reason": "", "score": 2 if any(point in memory for memory in asked.data["memories"]) else 0}


def supported(asked: Asked) -> dict[str, Any]:
    """Whether a turn says the memory in its words."""
    (memory,) = asked.data["memory"]
    said = any(memory in line for line in asked.data["dialogue"])
    expected = any(point in memory for point in asked.data["points"])
    return {"reason": "", "score": 2 if said else 0, "expected": expected}


def outcome(asked: Asked) -> dict[str, Any]:
    """Right when the reply has the expected words, an omission when it says that it does not know."""
    (expected,), (reply,) = asked.data["expected"], asked.data["reply"]
    left_out = reply == "?" or "not enough" in reply
    right = "correct" if expected in reply else "omission" if left_out else "hallucination"
    return {"reason": "", "outcome": right}


RULES = {"halumem_coverage": covered, "halumem_support": supported, "halumem_answer": outcome}
