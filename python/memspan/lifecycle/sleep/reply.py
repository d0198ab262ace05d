"""The reply of `update`."""

from __future__ import annotations

from memspan.encode.replies.reply import Field, Numbers, ReplyModel, Text

__all__ = ["UpdateReply"]


class UpdateReply(ReplyModel):
    """What is to become of one memory."""

    action: Text = Field(default="", description="keep, merge, update or retire")
    later: Numbers = Field(
        default_factory=list, description="numbers n of the later memories that it rests on"
    )
    content: Text = Field(default="", description="the new memory; empty for keep and retire")
