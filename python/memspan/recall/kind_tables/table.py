"""What a table of rules is made of: the kinds of question, and a row for each way to know one."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

__all__ = ["KINDS_OF_QUESTION", "KindName", "Table"]

KindName: TypeAlias = Literal[
    "summary", "order", "when", "list", "assistant", "preference", "update", "yes_no", "lookup"
]

KINDS_OF_QUESTION: Final[tuple[KindName, ...]] = get_args(KindName)
"""Where several fit, the one that stands first is the main one:

- summary: what was said about something over all of the time
- order: in which order things happened or were brought up
- when: from events to their times, or the time between two of them
- list: counting or listing, over several sessions
- assistant: about the assistant's own words
- preference: advice, which should respect what the user stated before
- update: what holds now, after changes
- yes_no: whether something is so
- lookup: one fact, whatever else does not fit
"""

Table: TypeAlias = tuple[tuple[KindName, str, str], ...]
"""Kind, pattern and reason, in the order in which they are tried."""
