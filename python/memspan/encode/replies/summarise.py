"""The reply of `summarise`."""

from __future__ import annotations

from .extract import Extracted
from .reply import Field, Items, Number, ReplyModel, SomeItems, Text

__all__ = ["SummariseReply", "SummarisedSegment"]


class SummarisedSegment(ReplyModel):
    """What one topic segment says."""

    segment: Number = Field(default=0, description="number of the segment")
    topic: Text = Field(default="", description="two to five words")
    entries: Items[Extracted] = Field(default_factory=list, description="may be empty")


class SummariseReply(ReplyModel):
    """One item for every segment that was shown."""

    segments: SomeItems[SummarisedSegment]
