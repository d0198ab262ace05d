"""The kind of a turn by a rule, where no language model is at hand to make facts and procedures of turns."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["kind_by_rule"]

_STEPS: Final = re.compile(
    r"```|^\s*(?:\d+[.)]|[-*])\s+\S|\bhow to\b|\bstep \d|\bfirst\b.*\bthen\b|\bmake sure\b"
    r"|\byou (?:can|could|should|need to|have to|might want)\b|\btry (?:to|using|adding)\b|\bhere(?:'s| is) how\b",
    re.IGNORECASE | re.MULTILINE,
)
_STANDING: Final = re.compile(
    r"\b(?:i'm|i am|my \w+(?: \w+)? (?:is|are)|i (?:really |also )?(?:like|love|enjoy|prefer|hate|want|need|have|work"
    r"|live|believe|think|use|know)|(?:he|she|it|they)(?:'s| is|'re| are)|we (?:are|have)|favou?rite|always|never"
    r"|usually|every (?:day|week|month|year))\b",
    re.IGNORECASE,
)
_HAPPENED: Final = re.compile(
    r"\b(?:was|were|did|had|went|got|came|took|made|saw|met|bought|started|finished|just|yesterday|today|tomorrow"
    r"|tonight|ago|last|next|this (?:morning|week|weekend|month|year)|[a-z]{3,}ed)\b",
    re.IGNORECASE,
)


def kind_by_rule(text: str) -> str:
    """`procedural` for turns that tell how (lists, code, "you should"), `semantic` for those that tell what is (likes,
    states, habits) and not what happened, `episodic` for all others. English only, and rough: the study says how the
    evidence lies across the kinds, and no claim rests on single turns."""
    if _STEPS.search(text):
        return "procedural"
    if _STANDING.search(text) and not _HAPPENED.search(text):
        return "semantic"
    return "episodic"
