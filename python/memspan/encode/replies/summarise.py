"""The reply of `summarise`."""

from __future__ import annotations

from typing import Annotated, Any, Final

from memspan.recall.said_words import said_words

from .extract import Extracted
from .reply import BeforeValidator, Field, Items, Number, ReplyModel, SomeItems, Text

__all__ = ["SummariseReply", "SummarisedSegment"]


_FEWEST: Final = 3
_FEWEST_SIGNS: Final = 6


def _entries(value: Any) -> Any:
    """Entries that are only their words, and more of these than "none", come from the segment that they stand in."""
    items = value if isinstance(value, list) else []
    return [{"content": one} if _says_something(one) else one for one in items] or value


def _says_something(entry: Any) -> bool:
    """Chinese and Japanese sentences are one word."""
    if not isinstance(entry, str):
        return False
    return len(said_words(entry)) >= _FEWEST or (not entry.isascii() and len(entry) >= _FEWEST_SIGNS)


class SummarisedSegment(ReplyModel):
    """What one topic segment says."""

    segment: Number = Field(default=0, description="number of the segment")
    topic: Text = Field(default="", description="two to five words")
    entries: Annotated[Items[Extracted], BeforeValidator(_entries)] = Field(
        default_factory=list, description="may be empty"
    )


class SummariseReply(ReplyModel):
    """One item for every segment that was shown."""

    segments: SomeItems[SummarisedSegment]
