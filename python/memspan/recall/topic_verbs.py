"""Where "work" and "plan" are verbs: "does it work" asks for no job, and "did you plan to go" for no plan."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["topic_verbs"]

_AUX: Final = r"(?:do|does|did|will|wo|can|could|would|should|might)(?:n?['’]?t)?\s+(?:not\s+)?"
_OWNER: Final = r"(?:the|my|your|his|her|its|our|their)"
_IT: Final = r"(?:it|this|that)"
# Behind "the new printer" or "this" it may be a noun yet: "did the hard work pay off", "does this work schedule fit".
_NO_NOUN: Final = (
    r"(?=\s*(?:[^\w\s'’-]|$)|\s+(?:out|well|fine|again|now|yet|for|with|without|on|in|at|as|and|or|if|when|after|"
    r"together|\w+ly)\b)"
)
_VERBS: Final = (
    # "Where does Leo's brother work" does ask for a job, and so does whatever "I", "you" or a name do.
    rf"(?<!where\s)\b{_AUX}(?:(?:it|they)\s+(?P<of_it>work)\b|"
    rf"(?:{_OWNER}(?:\s+\w+){{1,2}}|(?:this|that|these|those)(?:\s+\w+){{0,2}})\s+(?P<of_that>work)\b{_NO_NOUN})",
    rf"\b(?:{_IT}\s+{_AUX}|g[eo]t\s+{_IT}\s+to\s+|seems?\s+to\s+)(?P<to_be_fit>work)\b",
    rf"\b(?!(?:{_OWNER}|{_IT}|at|of|about|from|some|any|more)\b)\w+\s+(?P<with_more>work)"
    r"\s+(?:out|well|fine|for\s+(?:me|you|us|them|him|her))\b",
    r"\b(?:to|i|you|we|he|she|they|me|us|let['’]?s|please|can|could|should|must)\s+(?P<of_us>plan)\b",
    rf"\b{_AUX}(?!(?:{_OWNER}|{_IT}|these|those|an?|any|no|which)\b)\w+\s+(?P<of_a_name>plan)\b",
)
_COMPILED: Final = tuple(re.compile(verb, re.IGNORECASE) for verb in _VERBS)


def topic_verbs(text: str) -> frozenset[int]:
    """Where each "work" and "plan" begins that is a verb; O(characters)."""
    return frozenset(found.start(found.lastgroup or 0) for verb in _COMPILED for found in verb.finditer(text))
