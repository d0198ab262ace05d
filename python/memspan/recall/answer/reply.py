"""The reply of `answer`."""

from __future__ import annotations

from memspan.encode.replies.reply import Field, Flag, Numbers, ReplyModel, Text

__all__ = ["AnswerReply"]


class AnswerReply(ReplyModel):
    """An answer with the numbers of its sources."""

    answer: Text = Field(description="the answer; empty when enough is false")
    sources: Numbers = Field(default_factory=list, description="numbers of the memories that it comes from")
    enough: Flag = Field(default=True, description="whether the memories answer the question")
