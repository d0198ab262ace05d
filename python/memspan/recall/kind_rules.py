"""The rules by which a question is of a kind: patterns, each with the reason that it stands for.

A rule reads the question in lower case, with straight apostrophes and without quoted passages.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from .kind_tables import KINDS_OF_QUESTION, TABLES, KindName

__all__ = ["KINDS_OF_QUESTION", "KindName", "Rule", "rules_of"]


class Rule(NamedTuple):
    """One way to know a kind."""

    kind: KindName
    pattern: re.Pattern[str]
    reason: str


@cache
def rules_of(language: str) -> tuple[Rule, ...]:
    """The rules for a language of `memspan.recall.times.languages.LANGUAGES`, in the order in which they are tried.

    Compiling the patterns of English takes some ten milliseconds, so that it waits for the first question.
    """
    return tuple(Rule(kind, re.compile(pattern), reason) for kind, pattern, reason in TABLES[language])
