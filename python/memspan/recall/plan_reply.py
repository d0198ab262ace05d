"""The reply of `plan`."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from memspan.encode.replies.reply import Field, Number, ReplyModel, Text, Texts

__all__ = ["PlanReply", "TimeRange"]


_FROM_TO: Final = re.compile(r"(\d{4}-\S+)\s*(?:/|\s(?:to|until|[-\u2013\u2014])\s)\s*(\d{4}-\S+)")


class TimeRange(ReplyModel):
    """A range of time, as the model writes it."""

    start: Text = Field(default="", description="ISO 8601; empty for an open start")
    end: Text = Field(default="", description="ISO 8601, included; empty for an open end")


def _ranges(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else [value]
    return [item for item in map(_range, items) if isinstance(item, (dict, TimeRange))]


def _range(item: Any) -> Any:
    """A range that is written as a pair, as the prompt shows those of the rules, or as one text."""
    if isinstance(item, str):
        both = _FROM_TO.fullmatch(item.strip())
        item = list(both.groups()) if both else [item]
    if (
        isinstance(item, list)
        and 1 <= len(item) <= 2
        and not any(isinstance(one, (list, dict)) for one in item)
    ):
        return {"start": item[0], "end": item[-1]}
    return item


class PlanReply(ReplyModel):
    """What to look for."""

    complexity: Number = Field(default=0, description="1 to 5")
    query: Text = Field(default="", description="what a memory that answers would say")
    keywords: Texts = Field(default_factory=list, description="names, places, titles, things, numbers")
    times: Annotated[list[TimeRange], BeforeValidator(_ranges)] = Field(
        default_factory=list, description="ranges that the question is about"
    )
    names: Texts = Field(default_factory=list, description="known people")
    tags: Texts = Field(default_factory=list, description="known tags, at most three")
    reason: Text = Field(default="", description="why so much has to be found")
