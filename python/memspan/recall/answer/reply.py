"""The reply of `answer`."""

from __future__ import annotations

from typing import Any

from memspan.encode.replies.reply import Field, Flag, Numbers, ReplyModel, Text, is_no, model_validator

__all__ = ["AnswerReply"]


class AnswerReply(ReplyModel):
    """An answer with the numbers of its sources."""

    answer: Text = Field(description="the answer; empty when enough is false")
    sources: Numbers = Field(default_factory=list, description="numbers of the memories that it comes from")
    enough: Flag = Field(default=True, description="whether the memories answer the question")

    @model_validator(mode="before")
    @classmethod
    def _without_answer(cls, value: Any) -> Any:
        """Models leave out what is to be empty."""
        if isinstance(value, dict) and "answer" not in value and is_no(value.get("enough")):
            return {**value, "answer": ""}
        return value
