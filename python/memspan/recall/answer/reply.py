"""The reply of `answer`."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

from memspan.encode.reply import Field, Numbers, ReplyModel, Text

__all__ = ["AnswerReply"]


def _flag(value: Any) -> bool:
    """Whatever does not say no is a yes: an answer that is there is not lost by an odd word beside it."""
    if isinstance(value, str):
        return value.strip().lower() not in ("false", "no", "0", "none")
    return value is None or bool(value)


class AnswerReply(ReplyModel):
    """An answer with the numbers of its sources."""

    answer: Text = Field(description="the answer; empty when enough is false")
    sources: Numbers = Field(default_factory=list, description="numbers of the memories that it comes from")
    enough: Annotated[bool, BeforeValidator(_flag)] = Field(
        default=True, description="whether the memories answer the question"
    )
